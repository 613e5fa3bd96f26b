import { useState } from 'react';
import { useClient, useQuery } from 'urql';
import { useLocation, useSearchParams } from 'wouter';
import { EntryCard } from '../../app/EntryCard.tsx';
import { readProblem, type Problem } from '../../data/errors.ts';
import {
  FinishPasskeySignIn,
  RedeemLink,
  SignInOptionsQuery,
  SignInWithPassword,
  StartPasskeySignIn,
} from '../../data/operations.ts';
import { hasPasskeys, provePasskey } from '../../data/passkeys.ts';
import { readNext } from '../../data/url.ts';
import { Button } from '../../design/Button.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';

/** Signing in: by passkey, by password and code, by single sign-on, or by a link that an administrator made. */
export function Screen() {
  const t = useTexts(texts);
  const [{ data, fetching }] = useQuery({ query: SignInOptionsQuery });
  const { busy, problem, attempt } = useAttempt();
  const [parameters] = useSearchParams();
  const [withPassword, setWithPassword] = useState(false);
  const options = data?.signInOptions;
  const showsPassword = options?.password && (withPassword || !options.passkeys || !hasPasskeys());
  // All ways at once: one that appears later would move the others away under a click.
  if (fetching) return <EntryCard title={t.title}>{null}</EntryCard>;
  return (
    <EntryCard title={t.title}>
      {parameters.get('error') === 'oidc' && <Note tone="bad">{t.oidcFailed}</Note>}
      {problem && <ProblemNote problem={problem} />}
      <RedeemLinkOfAddress attempt={attempt} busy={busy} />
      {options?.passkeys && hasPasskeys() && <PasskeyButton attempt={attempt} busy={busy} />}
      {options?.oidc && (
        <a className="button" href="/console/oidc">
          {t.oidc}
        </a>
      )}
      {showsPassword && <PasswordForm attempt={attempt} busy={busy} />}
      {options?.password && !showsPassword && (
        <Button look="quiet" onClick={() => setWithPassword(true)}>
          {t.usePassword}
        </Button>
      )}
      <p className="soft sign-in-help">{t.help}</p>
    </EntryCard>
  );
}

/** One way to sign in; resolves with a problem, with `cancelled`, or with `welcome` if a credential is to be set up. */
type Attempt = (signIn: () => Promise<Problem | undefined | 'cancelled' | 'welcome'>) => Promise<void>;

interface WayProps {
  attempt: Attempt;
  busy: boolean;
}

/** Runs a way to sign in, and afterwards leads to where the operator wanted to go. */
function useAttempt() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const attempt: Attempt = async (signIn) => {
    setBusy(true);
    setProblem(undefined);
    const outcome = await signIn();
    setBusy(false);
    if (outcome === 'cancelled') return;
    const next = readNext(parameters);
    if (outcome === 'welcome')
      return navigate(`/welcome?next=${encodeURIComponent(next)}`, { replace: true });
    if (outcome) return setProblem(outcome);
    navigate(next, { replace: true });
  };
  return { busy, problem, attempt };
}

/** The link of `perennial operator create`: its token follows the `#`, which browsers do not send to servers. */
function RedeemLinkOfAddress({ attempt, busy }: WayProps) {
  const t = useTexts(texts);
  const client = useClient();
  const [token] = useState(() => location.hash.slice(1));
  if (!token) return null;
  const redeem = () =>
    attempt(async () => {
      const { data, error } = await client.mutation(RedeemLink, { token }).toPromise();
      // A used token does not stay in the history of the browser.
      history.replaceState(history.state, '', location.pathname + location.search);
      if (error) return readProblem(error);
      return data?.redeemOperatorLink?.needsCredential ? 'welcome' : undefined;
    });
  return (
    <Button look="main" busy={busy} onClick={() => void redeem()}>
      {t.openLink}
    </Button>
  );
}

function PasskeyButton({ attempt, busy }: WayProps) {
  const t = useTexts(texts);
  const client = useClient();
  const signIn = () =>
    attempt(async () => {
      const started = await client.mutation(StartPasskeySignIn, {}).toPromise();
      if (started.error) return readProblem(started.error);
      const { challengeId, options } = started.data!.startPasskeySignIn!;
      const response = await provePasskey(options);
      if (!response) return 'cancelled';
      const { error } = await client.mutation(FinishPasskeySignIn, { challengeId, response }).toPromise();
      return error && readProblem(error);
    });
  return (
    <Button look={location.hash ? 'plain' : 'main'} icon="keys" busy={busy} onClick={() => void signIn()}>
      {t.passkey}
    </Button>
  );
}

function PasswordForm({ attempt, busy }: WayProps) {
  const t = useTexts(texts);
  const client = useClient();
  const [form, setForm] = useState({ email: '', password: '', code: '' });
  const [recovers, setRecovers] = useState(false);
  const signIn = () =>
    attempt(async () => {
      const { error } = await client.mutation(SignInWithPassword, form).toPromise();
      return error && readProblem(error);
    });
  const bind = (name: keyof typeof form) => ({
    name,
    value: form[name],
    required: true,
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [name]: target.value }),
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      <Field label={t.email} type="email" autoComplete="username" {...bind('email')} />
      <Field label={t.password} type="password" autoComplete="current-password" {...bind('password')} />
      {recovers ? (
        <Field key="recovery" label={t.recoveryCode} {...bind('code')} />
      ) : (
        <Field
          key="code"
          label={t.code}
          hint={t.codeHint}
          inputMode="numeric"
          autoComplete="one-time-code"
          {...bind('code')}
        />
      )}
      <div className="row">
        <Button type="submit" look="main" busy={busy}>
          {t.signIn}
        </Button>
        <Button look="quiet" onClick={() => setRecovers(!recovers)}>
          {recovers ? t.useCode : t.useRecovery}
        </Button>
      </div>
    </form>
  );
}

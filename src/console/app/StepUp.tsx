import { createContext, lazy, Suspense, useCallback, useContext, useState, type ReactNode } from 'react';
import { useClient, useQuery } from 'urql';
import { readMachineClock } from '../data/clock.tsx';
import { readProblem, type Problem } from '../data/errors.ts';
import {
  FinishPasskeyStepUp,
  SignInOptionsQuery,
  StartPasskeyStepUp,
  SteppedUpQuery,
  StepUpWithPassword,
} from '../data/operations.ts';
import { hasPasskeys, provePasskey } from '../data/passkeys.ts';
import { useSession } from '../data/session.tsx';
import { Button } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { ProblemNote, Skeleton } from '../design/Feedback.tsx';
import { Field } from '../design/Field.tsx';
import { useTexts } from '../texts/language.tsx';
import { SignOutButton } from './EntryCard.tsx';
import { texts } from './texts.ts';

// It uses actions, and each action may open this dialog.
const FirstCredential = lazy(async () => ({
  default: (await import('../screens/account/FirstCredential.tsx')).FirstCredential,
}));

const StepUpContext = createContext<() => Promise<boolean>>(() => Promise.resolve(false));

/** Returns a function that asks the operator to prove again who they are; it resolves with whether they did. */
export const useStepUp = (): (() => Promise<boolean>) => useContext(StepUpContext);

/**
 * Returns a function that asks the same unless the last proof is recent. For what the server cannot guard, because it only
 * reads: the pages of a list are the same for a screen and for an export.
 */
export function useRecentProof(): () => Promise<boolean> {
  const client = useClient();
  const stepUp = useStepUp();
  return useCallback(async () => {
    const { data } = await client.query(SteppedUpQuery, {}, { requestPolicy: 'network-only' }).toPromise();
    const until = data?.operator?.steppedUpUntil;
    return until && Date.parse(until) > readMachineClock() ? true : stepUp();
  }, [client, stepUp]);
}

/** Opens the dialog of `useStepUp`. */
export function StepUpProvider({ children }: { children: ReactNode }) {
  const [waiting, setWaiting] = useState<{ resolve: (confirmed: boolean) => void }>();
  const open = useCallback(() => new Promise<boolean>((resolve) => setWaiting({ resolve })), []);
  const finish = (confirmed: boolean) => {
    setWaiting(undefined);
    waiting?.resolve(confirmed);
  };
  return (
    <StepUpContext value={open}>
      {children}
      {waiting && <StepUpDialog onFinish={finish} />}
    </StepUpContext>
  );
}

function StepUpDialog({ onFinish }: { onFinish: (confirmed: boolean) => void }) {
  const t = useTexts(texts);
  const { operator } = useSession();
  const [{ data: options }] = useQuery({ query: SignInOptionsQuery });
  const [form, setForm] = useState({ password: '', code: '' });
  const { busy, problem, withPasskey, withPassword } = useConfirmation(() => onFinish(true));
  const hasPassword = operator.hasPassword && operator.hasTotp;
  const hasPasskey = hasPasskeys() && operator.passkeys.length > 0;
  const hasWay = hasPassword || hasPasskey || options?.signInOptions?.oidc !== false;
  const actions = hasWay && (
    <>
      {options?.signInOptions?.oidc && (
        <a className="button" href="/console/oidc?step-up">
          {t.confirmOidc}
        </a>
      )}
      {hasPassword && (
        <Button type="submit" look={hasPasskey ? 'plain' : 'main'} busy={busy}>
          {t.confirmPassword}
        </Button>
      )}
      {hasPasskey && (
        <Button look="main" busy={busy} onClick={() => void withPasskey()}>
          {t.confirmPasskey}
        </Button>
      )}
    </>
  );
  return (
    <Dialog
      title={t.confirmYou}
      onClose={() => onFinish(false)}
      actions={actions}
      {...(hasPassword && { onSubmit: () => void withPassword(form) })}
    >
      <p>{t.confirmYouText}</p>
      {operator.needsCredential ? <AddCredential onDone={() => onFinish(true)} /> : !hasWay && <NoWay />}
      {problem && <ProblemNote problem={problem} />}
      {hasPassword && (
        <>
          <Field
            label={t.password}
            required
            type="password"
            autoComplete="current-password"
            value={form.password}
            onChange={({ target }) => setForm({ ...form, password: target.value })}
          />
          <Field
            label={t.code}
            required
            inputMode="numeric"
            autoComplete="one-time-code"
            value={form.code}
            onChange={({ target }) => setForm({ ...form, code: target.value })}
          />
        </>
      )}
    </Dialog>
  );
}

/** For an operator whose session a link began, and who has no credential yet. */
function AddCredential({ onDone }: { onDone: () => void }) {
  const t = useTexts(texts);
  return (
    <div className="stack">
      <p>{t.confirmFirst}</p>
      <Suspense fallback={<Skeleton lines={2} />}>
        <FirstCredential onDone={onDone} />
      </Suspense>
    </div>
  );
}

/** For a session that cannot confirm anything: what to do instead. */
function NoWay() {
  const t = useTexts(texts);
  const { operator } = useSession();
  return (
    <div className="stack">
      <p>{t.confirmNoWay(operator.email)}</p>
      <SignOutButton />
    </div>
  );
}

/** The two ways to prove who one is. */
function useConfirmation(onConfirmed: () => void) {
  const client = useClient();
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const attempt = async (confirm: () => Promise<Problem | undefined | 'cancelled'>) => {
    setBusy(true);
    setProblem(undefined);
    const outcome = await confirm();
    setBusy(false);
    if (outcome === 'cancelled') return;
    if (outcome) setProblem(outcome);
    else onConfirmed();
  };
  const withPasskey = () =>
    attempt(async () => {
      const started = await client.mutation(StartPasskeyStepUp, {}).toPromise();
      if (started.error) return readProblem(started.error);
      const { challengeId, options } = started.data!.startPasskeyStepUp!;
      const response = await provePasskey(options);
      if (!response) return 'cancelled';
      const { error } = await client.mutation(FinishPasskeyStepUp, { challengeId, response }).toPromise();
      return error && readProblem(error);
    });
  const withPassword = (form: { password: string; code: string }) =>
    attempt(async () => {
      const { error } = await client.mutation(StepUpWithPassword, form).toPromise();
      return error && readProblem(error);
    });
  return { busy, problem, withPasskey, withPassword };
}

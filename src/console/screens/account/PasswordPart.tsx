import { useState } from 'react';
import { useAction } from '../../data/action.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { Facts, Section } from '../../design/Page.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import {
  CreateRecoveryCodes,
  FinishTotp,
  RemovePassword,
  SetPassword,
  StartTotp,
  type Account,
} from './query.ts';
import { texts } from './texts.ts';

interface PartProps {
  account: Account;
  refetch: () => void;
}

/** The password with its second factor, and the recovery codes. */
export function PasswordPart({ account, refetch }: PartProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const { refresh } = useSession();
  const [open, setOpen] = useState<'password' | 'totp'>();
  const [codes, setCodes] = useState<string[]>();
  const removal = useAction(RemovePassword);
  const renewal = useAction(CreateRecoveryCodes);
  const changed = () => {
    refetch();
    refresh();
  };
  const renew = async () => setCodes((await renewal.run({}))?.createRecoveryCodes?.codes);
  const show = (made: string[]) => {
    setOpen(undefined);
    setCodes(made);
  };
  const hide = () => {
    setCodes(undefined);
    changed();
  };
  const { hasPassword, hasTotp, recoveryCodesLeft } = account;
  const finishPassword = () => {
    changed();
    if (!hasTotp) setOpen('totp');
  };
  const problem = removal.problem ?? renewal.problem;
  return (
    <Section
      title={t.password}
      actions={
        <div className="row">
          {hasPassword && (
            <Button
              look="danger"
              busy={removal.busy}
              onClick={() => void removal.run({}).then((done) => done && changed())}
            >
              {t.removePassword}
            </Button>
          )}
          {hasTotp && (
            <Button busy={renewal.busy} onClick={() => void renew()}>
              {t.newCodes}
            </Button>
          )}
          {hasPassword && <Button onClick={() => setOpen('totp')}>{hasTotp ? t.changeApp : t.addApp}</Button>}
          <Button onClick={() => setOpen('password')}>
            {hasPassword ? t.changePassword : t.setPassword}
          </Button>
        </div>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {hasPassword && !hasTotp && <Note tone="late">{t.needsApp}</Note>}
      <Facts
        facts={[
          [t.password, hasPassword ? t.yes : t.no],
          [t.app, hasTotp ? t.yes : t.no],
          [t.codesLeft, hasTotp ? format.number(recoveryCodesLeft) : undefined],
        ]}
      />
      {open === 'password' && <PasswordDialog onClose={() => setOpen(undefined)} onDone={finishPassword} />}
      {open === 'totp' && <TotpDialog onClose={() => setOpen(undefined)} onDone={show} />}
      {codes && <RecoveryCodes codes={codes} onClose={hide} />}
    </Section>
  );
}

/** The dialog in which a password is set. */
export function PasswordDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(SetPassword);
  const [password, setPassword] = useState('');
  const save = async () => {
    if (!(await run({ password }))) return;
    toast(t.saved);
    onClose();
    onDone();
  };
  return (
    <Dialog
      title={t.setPassword}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <Button type="submit" look="main" busy={busy}>
          {t.save}
        </Button>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <Field
        label={t.password}
        type="password"
        autoComplete="new-password"
        hint={t.passwordHint}
        required
        minLength={12}
        value={password}
        {...findRefusal(problem, 'password')}
        onChange={({ target }) => setPassword(target.value)}
      />
    </Dialog>
  );
}

/** The dialog in which an authenticator app is set up; `onDone` gets the recovery codes. */
export function TotpDialog({ onClose, onDone }: { onClose: () => void; onDone: (codes: string[]) => void }) {
  const t = useTexts(texts);
  const start = useAction(StartTotp);
  const finish = useAction(FinishTotp);
  const [setup, setSetup] = useState<{ secret: string; url: string }>();
  const [code, setCode] = useState('');
  const begin = async () => setSetup((await start.run({}))?.startTotp ?? undefined);
  const end = async () => {
    const done = await finish.run({ code });
    if (done?.finishTotp) onDone(done.finishTotp.codes);
  };
  const problem = start.problem ?? finish.problem;
  return (
    <Dialog
      title={t.addApp}
      onClose={onClose}
      onSubmit={() => void (setup ? end() : begin())}
      actions={
        <Button type="submit" look="main" busy={start.busy || finish.busy}>
          {setup ? t.save : t.begin}
        </Button>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <p>{t.appText}</p>
      {setup && (
        <>
          <a href={setup.url}>{t.openApp}</a>
          <Facts
            facts={[[t.secret, <code dir="ltr">{setup.secret.replace(/(.{4})/g, '$1 ').trim()}</code>]]}
          />
          <Field
            label={t.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            autoFocus
            value={code}
            {...findRefusal(problem, 'code')}
            onChange={({ target }) => setCode(target.value)}
          />
        </>
      )}
    </Dialog>
  );
}

/** The recovery codes, which are shown once. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const t = useTexts(texts);
  return (
    <Dialog
      title={t.recoveryCodes}
      onClose={onClose}
      actions={
        <Button look="main" onClick={onClose}>
          {t.kept}
        </Button>
      }
    >
      <p>{t.codesText}</p>
      <ul className="recovery-codes" dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

import { Link } from 'wouter';
import { useState } from 'react';
import { useAction } from '../../data/action.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { mailTexts } from './texts.ts';
import { SendTestMail, type MailKind, type MailLanguage } from './templateQuery.ts';

interface SendTestProps {
  kind: MailKind;
  language: MailLanguage;
  /** Whether the text was changed and not saved: the mail has the saved one. */
  isUnsaved: boolean;
  onClose: () => void;
}

/** Sends a mail with invented data to an address. */
export function SendTest({ kind, language, isUnsaved, onClose }: SendTestProps) {
  const t = useTexts(mailTexts);
  const { operator } = useSession();
  const { run, busy, problem } = useAction(SendTestMail);
  const { values, bind } = useForm({ to: operator.email }, problem);
  const [sent, setSent] = useState<string>();
  const submit = async () => {
    const mail = (await run({ input: { to: values.to, kind, language } }))?.sendTestMail;
    if (mail) setSent(mail.id);
  };
  return (
    <Dialog
      title={t.sendTest}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{sent ? t.done : t.cancel}</Button>
          <Button type="submit" look="main" busy={busy}>
            {t.sendTest}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {isUnsaved && <Note tone="late">{t.unsaved}</Note>}
      <Field label={t.to} type="email" required autoFocus {...bind('to')} />
      {sent && (
        <Note tone="good">
          {t.queued} <Link href={`/mails/${sent}`}>{t.seeMail}</Link>
        </Note>
      )}
    </Dialog>
  );
}

import { numberOrNull, orNull } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { mailKinds } from '../../texts/mails.ts';
import { mailTexts as kindTexts } from '../../texts/texts.ts';
import { BlockedMails } from './BlockedMails.tsx';
import { CopyText } from './notes.tsx';
import { AccountPart } from './Providers.tsx';
import type { Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { policyTexts } from './texts.ts';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

type Switchable = Exclude<(typeof mailKinds)[number], 'portal_code' | 'test'>;
const switchable = mailKinds.filter((kind): kind is Switchable => kind !== 'portal_code' && kind !== 'test');

/** The mail server, the sender of mails to customers, and which of them are sent. */
export function Mail({ settings, onSaved }: PartProps) {
  const { mail } = settings;
  const t = useTexts(policyTexts);
  const kinds = useTexts(kindTexts);
  const sent = Object.fromEntries(switchable.map((kind) => [kind, !mail.disabledKinds.includes(kind)]));
  return (
    <>
      <AccountPart name="smtp" settings={settings} onSaved={onSaved} />
      <SettingsForm
        title={t.mail}
        initial={{
          fromName: mail.fromName ?? '',
          replyTo: mail.replyTo ?? '',
          testRecipient: mail.testRecipient ?? '',
          renewalNoticeDays: String(mail.renewalNoticeDays),
        }}
        fields={[
          { name: 'fromName', label: t.fromName },
          { name: 'replyTo', label: t.replyTo, kind: 'email' },
          { name: 'testRecipient', label: t.testRecipient, hint: t.testRecipientHint, kind: 'email' },
          { name: 'renewalNoticeDays', label: t.renewalNoticeDays, kind: 'number' },
        ]}
        toInput={(values) => ({
          mail: {
            fromName: orNull(values.fromName),
            replyTo: orNull(values.replyTo),
            testRecipient: orNull(values.testRecipient),
            renewalNoticeDays: numberOrNull(values.renewalNoticeDays),
          },
        })}
        onSaved={onSaved}
      />
      <SettingsForm
        title={t.sentKinds}
        initial={sent as Record<Switchable, boolean>}
        fields={switchable.map((name) => ({ name, label: kinds[name], kind: 'check' }))}
        toInput={(values) => ({ mail: { disabledKinds: switchable.filter((kind) => !values[kind]) } })}
        onSaved={onSaved}
      />
      <BlockedMails />
      {mail.bounceUrl && (
        <Section title={t.bounces}>
          <p className="soft">{t.bouncesText}</p>
          <CopyText text={mail.bounceUrl} />
        </Section>
      )}
    </>
  );
}

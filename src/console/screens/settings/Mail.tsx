import { orNull } from '../../design/form.ts';
import { readWhole } from '../../texts/numbers.ts';
import { Section } from '../../design/Page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { mailKinds } from '../../texts/mails.ts';
import { mailTexts as kindTexts } from '../../texts/texts.ts';
import { CopyText } from './notes.tsx';
import { AccountPart } from './Providers.tsx';
import type { Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { policyTexts, blockedTexts } from './texts.ts';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useLive } from '../../data/live.tsx';
import { usePages } from '../../data/pages.ts';
import { Button } from '../../design/Button.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { UnblockMail } from '../customer/parts.tsx';
import { BlockedCustomersQuery } from './templateQuery.ts';

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
  const sent = Object.fromEntries(switchable.map((kind) => [kind, mail.sentKinds.includes(kind)]));
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
            renewalNoticeDays: readWhole(values.renewalNoticeDays),
          },
        })}
        onSaved={onSaved}
      />
      <SettingsForm
        title={t.sentKinds}
        initial={sent as Record<Switchable, boolean>}
        fields={switchable.map((name) => ({ name, label: kinds[name], kind: 'check' }))}
        toInput={(values) => ({
          mail: {
            disabledKinds: switchable.filter((kind) => !values[kind]),
            enabledKinds: switchable.filter((kind) => values[kind]),
          },
        })}
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

/** The customers whose addresses refused mail for good or were blocked by hand, the latest first. */
function BlockedMails() {
  const t = useTexts(blockedTexts);
  const toast = useToast();
  const refusal = useRefusal('manage_customers');
  const {
    rows,
    hasMore,
    loading,
    problem: failure,
    loadMore,
    reload,
  } = usePages({
    document: BlockedCustomersQuery,
    variables: {},
    connection: (data) => data.blockedCustomers,
  });
  useLive((traces) => {
    if (traces.some(({ activityType }) => activityType === 'CustomerEvent')) reload();
  }, reload);
  const { run, busy, problem } = useAction(UnblockMail);
  const unblock = async (customerId: string) => {
    if (!(await run({ customerId }))) return;
    toast(t.unblocked);
    reload();
  };
  return (
    <Section title={t.title}>
      <p className="soft">{t.intro}</p>
      {(problem ?? failure) && <ProblemNote problem={(problem ?? failure)!} />}
      <Table
        caption={t.title}
        rows={rows}
        rowKey={({ id }) => id}
        empty={loading ? '…' : t.none}
        columns={[
          {
            header: t.customer,
            cell: (customer) => (
              <>
                <Link href={`/customers/${customer.id}`}>
                  <bdi>{nameCustomer(customer)}</bdi>
                </Link>
                <div className="soft">{customer.email}</div>
              </>
            ),
          },
          { header: t.reason, cell: ({ mailBlockedReason }) => <bdi>{mailBlockedReason}</bdi> },
          { header: t.since, cell: ({ mailBlockedAt }) => <When at={mailBlockedAt} /> },
          {
            header: t.actions,
            align: 'end',
            cell: ({ id }) => (
              <Button look="quiet" refused={refusal} busy={busy} onClick={() => void unblock(id)}>
                {t.unblock}
              </Button>
            ),
          },
        ]}
      />
      {hasMore && (
        <Button busy={loading} onClick={loadMore}>
          {t.more}
        </Button>
      )}
    </Section>
  );
}

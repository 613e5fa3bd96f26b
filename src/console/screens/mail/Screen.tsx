import { Link, useLocation } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useCan, useTenant } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { Loaded, Note, ProblemNote } from '../../design/Feedback.tsx';
import { MailFrame } from '../../design/MailFrame.tsx';
import { Columns, Facts, Page, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Tabs, useTab } from '../../design/Tabs.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Tries } from '../../design/Tries.tsx';
import { Id, Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { mailTones } from '../../texts/mails.ts';
import { nameCustomer } from '../../texts/names.ts';
import { MailMessage, MailQuery, ResendMail, type MailData, type MessageData } from './query.ts';
import { texts } from './texts.ts';
import { mailTexts } from '../../texts/texts.ts';

/** What the server records of a mail that it sends to nobody. */
const keptResponse = 'Kept for the console: the tenant is a test tenant without a recipient for tests.';

/** One mail: whether it arrived, and what it says. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const words = useTexts(mailTexts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const refusal = useRefusal('manage_customers');
  const result = useScreenQuery(MailQuery, { id });
  const { run, busy, problem } = useAction(ResendMail);
  const mail = result.data?.mailDelivery;
  const resend = async () => {
    const again = (await run({ id }))?.resendMail;
    if (!again) return;
    toast(t.resent);
    navigate(`/mails/${again.id}`);
  };
  return (
    <Page
      title={mail?.subject ?? (mail ? words[mail.kind] : t.mail)}
      parent={{ href: '/mails', title: t.parent }}
      badge={mail && <Status tone={mailTones[mail.status]}>{words[mail.status]}</Status>}
      actions={
        <Button look="main" refused={refusal} busy={busy} onClick={() => void resend()}>
          {t.resend}
        </Button>
      }
      request={{ document: MailQuery, variables: { id } }}
    >
      {problem && <ProblemNote problem={problem} />}
      <Loaded result={result}>
        {({ mailDelivery: found }) =>
          found && (
            <Columns facts={<MailFacts mail={found} />}>
              <Tries
                attempts={found.attempts}
                response={({ response, error }) =>
                  error ?? (response === keptResponse ? t.kept : response) ?? <Nothing />
                }
              />
              <Content mail={found} />
            </Columns>
          )
        }
      </Loaded>
    </Page>
  );
}

function MailFacts({ mail }: { mail: MailData }) {
  const t = useTexts(texts);
  const words = useTexts(mailTexts);
  const { id, recipient, kind, language, customer, createdAt, finishedAt, nextAttemptAt } = mail;
  return (
    <Facts
      facts={[
        [t.id, <Id id={id} />],
        [t.recipient, <bdi>{recipient}</bdi>],
        [t.kind, words[kind]],
        [t.language, language],
        [
          t.customer,
          customer ? (
            <Link href={`/customers/${customer.id}`}>
              <bdi>{nameCustomer(customer)}</bdi>
            </Link>
          ) : undefined,
        ],
        [t.created, <When at={createdAt} as="time" />],
        [t.finished, finishedAt ? <When at={finishedAt} as="time" /> : undefined],
        [t.next, nextAttemptAt ? <When at={nextAttemptAt} as="future" /> : undefined],
      ]}
    />
  );
}

/** The content. It is not kept, but composed again when the screen is opened. */
function Content({ mail: { id, status } }: { mail: MailData }) {
  const t = useTexts(texts);
  const { isTest } = useTenant();
  const mayReveal = useCan('manage_customers');
  const result = useScreenQuery(MailMessage, { id });
  return (
    <Section title={t.content}>
      <Loaded result={result}>
        {({ mailDelivery }) =>
          mailDelivery?.message ? (
            <>
              <Note>
                {status === 'sent' || status === 'bounced' ? t.composedNow : t.asSentNow}{' '}
                {isTest && mayReveal ? t.secretsShown : t.secretsHidden}
              </Note>
              <Message message={mailDelivery.message} />
            </>
          ) : (
            <Note>{t.gone}</Note>
          )
        }
      </Loaded>
    </Section>
  );
}

/** The parts of a mail: what mail programs show, the text for those that show no HTML, and the files. */
function Message({ message: { subject, html, text, attachments } }: { message: MessageData }) {
  const t = useTexts(texts);
  const tabs = [
    { id: 'html', label: 'HTML' },
    { id: 'text', label: t.plainText },
  ];
  const part = useTab(tabs, 'part');
  return (
    <>
      <strong dir="auto">{subject}</strong>
      <Tabs tabs={tabs} label={t.content} name="part" />
      {part === 'html' ? (
        <MailFrame html={html} title={t.content} />
      ) : (
        <pre className="mail-text" dir="auto" tabIndex={0} role="region" aria-label={t.plainText}>
          {text}
        </pre>
      )}
      {attachments.length > 0 && (
        <p>
          {t.attachments}{' '}
          {attachments.map(({ fileName, invoiceId, creditNoteId }) => (
            <Link
              key={fileName}
              href={creditNoteId ? `/credit-notes/${creditNoteId}` : `/invoices/${invoiceId}`}
            >
              {fileName}
            </Link>
          ))}
        </p>
      )}
    </>
  );
}

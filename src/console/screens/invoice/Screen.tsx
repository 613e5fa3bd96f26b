import { useState } from 'react';
import { Link } from 'wouter';
import { DocumentMenu } from '../../billing/DocumentMenu.tsx';
import { LineTable, SumRow } from '../../billing/LineTable.tsx';
import { Sums } from '../../billing/Sums.tsx';
import { isPositive, negate } from '../../billing/arithmetic.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Empty, Loaded, Note } from '../../design/Feedback.tsx';
import { Columns, Page, Section } from '../../design/Page.tsx';
import { InvoiceStatus } from '../../design/RecordStatus.tsx';
import { Table } from '../../design/Table.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { InvoiceActions, type InvoiceActionName } from './InvoiceActions.tsx';
import { InvoiceDialog } from './InvoiceDialog.tsx';
import { InvoiceFacts } from './InvoiceFacts.tsx';
import { InvoiceHistory } from './InvoiceHistory.tsx';
import { InvoicePayments } from './InvoicePayments.tsx';
import { DocumentQuery, InvoiceQuery, type InvoiceData } from './query.ts';
import { texts } from './texts.ts';

/** One invoice: its lines with the arithmetic behind them, its payments, and what can be done. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const result = useScreenQuery(
    InvoiceQuery,
    { id },
    { ids: [id], types: ['PaymentEvent', 'CreditNoteEvent'] },
  );
  const [dialog, setDialog] = useState<InvoiceActionName>();
  const invoice = result.data?.invoice;
  return (
    <Page
      title={invoice ? (invoice.documentNumber ?? t.draftTitle(String(invoice.number))) : t.invoice}
      badge={invoice && <InvoiceStatus status={invoice.status} overdue={invoice.overdue} />}
      parent={{ href: '/invoices', title: t.invoices }}
      subtitle={invoice && <Billed invoice={invoice} />}
      actions={
        invoice && (
          <>
            {invoice.documentNumber && (
              <DocumentMenu
                label={t.download}
                id={id}
                document={DocumentQuery}
                pick={(data) => data.invoice?.document}
              />
            )}
            <InvoiceActions invoice={invoice} onChoose={setDialog} />
          </>
        )
      }
      request={{ document: InvoiceQuery, variables: { id } }}
    >
      <Loaded result={result}>
        {({ invoice: found }) =>
          found ? (
            <Columns facts={<InvoiceFacts invoice={found} />}>
              <Notes invoice={found} />
              <Section title={t.lines}>
                <LineTable caption={t.lines} lines={found.lines}>
                  <Sums {...found} />
                  <Settled invoice={found} />
                </LineTable>
              </Section>
              <CreditNotes invoice={found} />
              <InvoicePayments invoice={found} />
              <InvoiceHistory invoice={found} />
            </Columns>
          ) : (
            <Empty title={t.missing} />
          )
        }
      </Loaded>
      {dialog && invoice && (
        <InvoiceDialog
          name={dialog}
          invoice={invoice}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined);
            result.refetch();
          }}
        />
      )}
    </Page>
  );
}

function Billed({ invoice: { customer, subscription, billingReason } }: { invoice: InvoiceData }) {
  const t = useTexts(texts);
  return (
    <>
      {customer ? (
        <Link href={`/customers/${customer.id}`}>
          <bdi>{nameCustomer(customer)}</bdi>
        </Link>
      ) : (
        t.erasedCustomer
      )}
      {' · '}
      {t[billingReason]}
      {subscription && (
        <>
          {' · '}
          <Link href={`/subscriptions/${subscription.id}`}>{subscription.productName}</Link>
        </>
      )}
    </>
  );
}

const isDisputed = ({ dispute }: InvoiceData['payments'][number]) => dispute?.status === 'needs_response';

function Notes({ invoice }: { invoice: InvoiceData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const { status, finalizeAt, subscription, startsOnPayment, payments, withdrawn } = invoice;
  const dunning = status === 'open' ? subscription?.dunning : undefined;
  return (
    <>
      {status === 'draft' && (
        <Note>{finalizeAt ? t.finalizesAt(format.dateTime(finalizeAt)) : t.finalizesByHand}</Note>
      )}
      {status === 'open' && startsOnPayment && <Note tone="waiting">{t.startsOnPayment}</Note>}
      {payments.some(isDisputed) && <Note tone="late">{t.disputed(format.money(withdrawn))}</Note>}
      {dunning && (
        <Note tone="bad">
          {t.failedTries(format.number(dunning.attempts))}{' '}
          {dunning.nextRetryAt ? t.nextTry(format.dateTime(dunning.nextRetryAt)) : t.noNextTry}
        </Note>
      )}
    </>
  );
}

/** What was credited, refunded and is still owed, below the total. */
function Settled({
  invoice: { status, credited, refunded, withdrawn, amountDue },
}: {
  invoice: InvoiceData;
}) {
  const t = useTexts(texts);
  return (
    <>
      {isPositive(credited) && (
        <SumRow name={t.credited}>
          <Money amount={negate(credited)} />
        </SumRow>
      )}
      {isPositive(refunded) && (
        <SumRow name={t.refunded}>
          <Money amount={refunded} />
        </SumRow>
      )}
      {isPositive(withdrawn) && (
        <SumRow name={t.withdrawn}>
          <Money amount={negate(withdrawn)} />
        </SumRow>
      )}
      {status === 'open' && (
        <SumRow name={t.due} strong>
          <Money amount={amountDue} />
        </SumRow>
      )}
    </>
  );
}

function CreditNotes({ invoice: { creditNotes } }: { invoice: InvoiceData }) {
  const t = useTexts(texts);
  if (creditNotes.length === 0) return null;
  return (
    <Section title={t.creditNotes}>
      <Table
        caption={t.creditNotes}
        rows={creditNotes}
        rowKey={({ id }) => id}
        columns={[
          {
            header: t.number,
            cell: ({ id, documentNumber }) => <Link href={`/credit-notes/${id}`}>{documentNumber}</Link>,
          },
          {
            header: t.kind,
            cell: ({ kind, status }) =>
              status === 'void' ? t.void : kind === 'refund' ? t.refundKind : t.credit,
          },
          { header: t.reason, cell: ({ reason }) => reason },
          { header: t.date, cell: ({ issuedAt }) => <When at={issuedAt} /> },
          { header: t.amount, align: 'end', cell: ({ total }) => <Money amount={total} /> },
        ]}
      />
    </Section>
  );
}

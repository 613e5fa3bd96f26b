import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { PayLink } from '../../billing/PayLink.tsx';
import { texts as billingTexts } from '../../billing/texts.ts';
import { useFailureWords } from '../../billing/failures.ts';
import { sumAmounts } from '../../billing/arithmetic.ts';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { useLive } from '../../data/live.tsx';
import { usePages } from '../../data/pages.ts';
import { Button } from '../../design/Button.tsx';
import { Empty, ProblemNote, Skeleton } from '../../design/Feedback.tsx';
import { Select } from '../../design/Field.tsx';
import { Figure, Page } from '../../design/Page.tsx';
import { Tabs, useTab, type Tab } from '../../design/Tabs.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Money, MoneyList, When } from '../../design/Values.tsx';
import { useUrlValue } from '../../data/url.ts';
import { useFormat, type Amount } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { PaymentsToRecoverQuery, type RecoverRow } from './query.ts';
import { PaymentList } from './List.tsx';
import { DisputesQuery, PaymentsQuery } from './listQuery.ts';
import { texts } from './texts.ts';

const Retry = graphql(`
  mutation RetryPayment($id: ID!) {
    payInvoice(id: $id) {
      id
      status
      paidAt
    }
  }
`);

const noVariables = {};

/** The payments to recover, all payments, the refunds and the disputes. */
export function Screen() {
  const t = useTexts(texts);
  const { lists } = useTexts(billingTexts);
  const tabs: Tab[] = [
    { id: 'recover', label: lists.toRecover },
    { id: 'all', label: lists.allPayments },
    { id: 'refunds', label: lists.refunds },
    { id: 'disputes', label: lists.disputes },
  ];
  const tab = useTab(tabs);
  const select = <Tabs tabs={tabs} label={t.title} isList />;
  if (tab !== 'all' && tab !== 'refunds' && tab !== 'disputes') return <PaymentsToRecover tabs={select} />;
  return (
    <Page
      title={tabs.find(({ id }) => id === tab)!.label}
      layout="list"
      request={
        tab === 'disputes'
          ? { document: DisputesQuery, variables: { first: 50 } }
          : {
              document: PaymentsQuery,
              variables: { first: 50, ...(tab === 'refunds' && { kind: 'refund' }) },
            }
      }
    >
      {select}
      <PaymentList key={tab} of={tab} />
    </Page>
  );
}

/** Payments that failed: how much is at risk, why, when each is tried next, and a retry of those that one chooses. */
function PaymentsToRecover({ tabs }: { tabs: ReactNode }) {
  const t = useTexts(texts);
  const format = useFormat();
  const explain = useFailureWords();
  const [reason, setReason] = useUrlValue('reason');
  const pages = usePages({
    document: PaymentsToRecoverQuery,
    variables: noVariables,
    connection: (data) => data.paymentsToRecover,
    pageSize: 100,
  });
  useLive((traces) => {
    if (traces.some(({ activityType }) => activityType === 'InvoiceEvent')) pages.reload();
  }, pages.reload);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const reasons = [...new Set(pages.rows.map(findReason))];
  const rows = reason ? pages.rows.filter((row) => findReason(row) === reason) : pages.rows;
  const marked = rows.filter(({ subscription, invoice }) => invoice && chosen.has(subscription.id));
  const nameGroup = (group: RecoverRow[]) => {
    const { declineCode: code, reason: own } = group[0]!;
    return `${explain({ code, reason: code ?? own ?? '' })} (${format.number(group.length)})`;
  };
  const { loading, problem, total, hasMore, loadMore, reload } = pages;
  return (
    <Page
      title={t.title}
      subtitle={t.subtitle}
      request={{ document: PaymentsToRecoverQuery, variables: { first: 100 } }}
    >
      {tabs}
      {problem && <ProblemNote problem={problem} retry={reload} />}
      {pages.rows.length === 0 && loading && <Skeleton lines={6} />}
      {pages.rows.length === 0 && !loading && !problem && <Empty title={t.empty}>{t.emptyText}</Empty>}
      {pages.rows.length > 0 && (
        <>
          <div className="row">
            <Figure name={t.atRisk} note={t.count(format.number(total ?? rows.length))}>
              <MoneyList amounts={sumByCurrency(rows)} />
            </Figure>
          </div>
          <div className="row">
            <Select
              compact
              label={t.reason}
              value={reason}
              choices={[
                { value: '', label: t.allReasons },
                ...reasons.filter(Boolean).map((value) => ({
                  value,
                  label: nameGroup(pages.rows.filter((row) => findReason(row) === value)),
                })),
              ]}
              onChange={({ target }) => setReason(target.value)}
            />
            <RetryChosen rows={marked} onDone={() => (setChosen(new Set()), reload())} />
          </div>
          <Rows rows={rows} chosen={chosen} onChoose={setChosen} />
          {hasMore && (
            <Button look="quiet" onClick={loadMore}>
              {t.more}
            </Button>
          )}
        </>
      )}
    </Page>
  );
}

/** What declines are grouped by: the code, or the words of the provider where there is none; '' for none. */
const findReason = ({ declineCode, reason }: RecoverRow): string => declineCode ?? reason ?? '';

/** The sums of the amounts, one for each currency. */
function sumByCurrency(rows: RecoverRow[]): Amount[] {
  const currencies = [...new Set(rows.map(({ amount }) => amount.currency))];
  return currencies.map((currency) =>
    sumAmounts(rows.map(({ amount }) => amount).filter((amount) => amount.currency === currency)),
  );
}

/** Charges the chosen invoices again, one after the other. */
function RetryChosen({ rows, onDone }: { rows: RecoverRow[]; onDone: () => void }) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const refused = useRefusal('manage_invoices');
  const action = useAction(Retry);
  const [running, setRunning] = useState(false);
  const sums = format.list(sumByCurrency(rows).map((sum) => format.money(sum)));
  const retry = async () => {
    setRunning(true);
    let paid = 0;
    for (const { invoice } of rows) {
      // One after the other: the provider limits how many charges it takes at once.
      const done = await action.run({ id: invoice!.id });
      if (done?.payInvoice?.status === 'paid') paid += 1;
    }
    setRunning(false);
    toast(t.retried(format.number(paid), format.number(rows.length)));
    onDone();
  };
  return (
    <Button
      look="main"
      busy={running}
      refused={refused ?? (rows.length === 0 ? t.chooseFirst : undefined)}
      onClick={() => void retry()}
    >
      {rows.length === 0 ? t.retry : t.retryText(sums)}
    </Button>
  );
}

interface RowsProps {
  rows: RecoverRow[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}

function Rows({ rows, chosen, onChoose }: RowsProps) {
  const t = useTexts(texts);
  const explain = useFailureWords();
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChoose(next);
  };
  return (
    <Table
      caption={t.title}
      rows={rows}
      rowKey={({ subscription }) => subscription.id}
      columns={[
        {
          header: t.customer,
          cell: ({ subscription: { id, customer }, invoice }) => (
            <span className="row">
              <input
                type="checkbox"
                aria-label={t.choose(nameCustomer(customer))}
                disabled={!invoice}
                checked={chosen.has(id)}
                onChange={() => toggle(id)}
              />
              {customer ? (
                <Link href={`/customers/${customer.id}`}>
                  <bdi>{nameCustomer(customer)}</bdi>
                </Link>
              ) : (
                '–'
              )}
            </span>
          ),
        },
        {
          header: t.subscription,
          cell: ({ subscription: { id, productName } }) => (
            <Link href={`/subscriptions/${id}`}>{productName}</Link>
          ),
        },
        {
          header: t.reason,
          cell: ({ declineCode: code, reason }) => (reason ? explain({ code, reason }) : t.awaited),
        },
        { header: t.since, cell: ({ failedSince }) => <When at={failedSince} as="past" /> },
        { header: t.nextTry, cell: ({ nextTryAt }) => (nextTryAt ? <When at={nextTryAt} /> : t.never) },
        {
          header: t.invoice,
          cell: ({ invoice }) =>
            invoice && (
              <Link href={`/invoices/${invoice.id}`}>{invoice.documentNumber ?? invoice.number}</Link>
            ),
        },
        { header: t.amount, align: 'end', cell: ({ amount }) => <Money amount={amount} /> },
        {
          header: t.link,
          align: 'end',
          cell: ({ subscription }) => <PayLink customerId={subscription.customer?.id} />,
        },
      ]}
    />
  );
}

import { useState } from 'react';
import { Link } from 'wouter';
import { Discounts } from '../../billing/Discounts.tsx';
import { NextInvoice } from '../../billing/NextInvoice.tsx';
import { useUrlValue } from '../../data/url.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { Columns, Page, Section } from '../../design/Page.tsx';
import { InvoiceStatus, SubscriptionStatus } from '../../design/RecordStatus.tsx';
import { Table } from '../../design/Table.tsx';
import { Timeline } from '../../design/Timeline.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { texts as shared } from '../../design/texts.ts';
import { nameCustomer } from '../../texts/names.ts';
import { CustomerActions, CustomerDialog, type CustomerActionName } from './CustomerActions.tsx';
import { TopUps } from '../../billing/credits/TopUps.tsx';
import { CustomerEntitlements } from '../../billing/features/CustomerEntitlements.tsx';
import { CreditGrants } from './CreditGrants.tsx';
import { CustomerFacts } from './CustomerFacts.tsx';
import { CustomerQuery, type CustomerData } from './query.ts';
import { Notes } from './Notes.tsx';
import { Sessions } from './Sessions.tsx';
import { texts } from './texts.ts';
import { BlockedMail, WaitingItems } from './parts.tsx';
import { Usage } from './Usage.tsx';

/** One customer: who they are, what they owe and get, what happened. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const [timelineAfter, setTimelineAfter] = useState<string>();
  const result = useScreenQuery(CustomerQuery, { id, timelineAfter }, { ids: [id] });
  const [act, setAct] = useUrlValue('act');
  const [dialog, setDialog] = useState(act === 'sell' ? act : (undefined as CustomerActionName | undefined));
  const customer = result.data?.customer;
  return (
    <Page
      title={customer ? nameCustomer(customer) : t.customers}
      parent={{ href: '/customers', title: t.customers }}
      actions={customer && <CustomerActions customer={customer} onChoose={setDialog} />}
      request={{ document: CustomerQuery, variables: { id } }}
    >
      <Loaded result={result}>
        {({ customer: found }) =>
          found && (
            <Columns facts={<CustomerFacts customer={found} onDone={result.refetch} />}>
              <BlockedMail customer={found} onDone={result.refetch} />
              <Subscriptions customer={found} />
              <Usage customer={found} />
              <CustomerEntitlements customerId={id} />
              <Invoices customer={found} />
              <WaitingItems customer={found} onDone={result.refetch} />
              <Discounts discounts={found.discounts} onDone={result.refetch} />
              <Credits customer={found} />
              <CreditGrants customerId={id} />
              <TopUps customerId={id} />
              <Notes customerId={id} />
              <Sessions customerId={id} />
              <Happened customer={found} onMore={setTimelineAfter} />
            </Columns>
          )
        }
      </Loaded>
      {dialog && customer && (
        <CustomerDialog
          name={dialog}
          customer={customer}
          onClose={() => {
            setDialog(undefined);
            if (act) setAct('');
          }}
          onDone={result.refetch}
        />
      )}
    </Page>
  );
}

interface PartProps {
  customer: CustomerData;
}

function Subscriptions({ customer }: PartProps) {
  const t = useTexts(texts);
  return (
    <Section title={t.subscriptions}>
      <Table
        caption={t.subscriptions}
        rows={customer.subscriptions?.nodes ?? []}
        rowKey={({ id }) => id}
        empty={t.noSubscriptions}
        columns={[
          {
            header: t.product,
            cell: ({ id, productName, quantity }) => (
              <Link href={`/subscriptions/${id}`}>
                {quantity > 1 ? `${productName} × ${quantity}` : productName}
              </Link>
            ),
          },
          { header: t.status, cell: ({ status }) => <SubscriptionStatus status={status} /> },
          {
            header: t.next,
            cell: (subscription) => <NextInvoice subscription={subscription} />,
          },
          { header: t.price, align: 'end', cell: ({ agreedPrice }) => <Money amount={agreedPrice} /> },
        ]}
      />
    </Section>
  );
}

function Invoices({ customer }: PartProps) {
  const t = useTexts(texts);
  return (
    <Section title={t.invoices}>
      <Table
        caption={t.invoices}
        rows={customer.invoices?.nodes ?? []}
        rowKey={({ id }) => id}
        empty={t.noInvoices}
        columns={[
          {
            header: t.number,
            cell: ({ id, documentNumber }) => (
              <Link href={`/invoices/${id}`}>{documentNumber ?? t.draft}</Link>
            ),
          },
          {
            header: t.status,
            cell: ({ status, overdue }) => <InvoiceStatus status={status} overdue={overdue} />,
          },
          { header: t.date, cell: ({ createdAt }) => <When at={createdAt} /> },
          { header: t.total, align: 'end', cell: ({ total }) => <Money amount={total} /> },
          { header: t.due, align: 'end', cell: ({ amountDue }) => <Money amount={amountDue} /> },
        ]}
      />
    </Section>
  );
}

function Credits({ customer: { credits } }: PartProps) {
  const t = useTexts(texts);
  if (credits.length === 0) return null;
  return (
    <Section title={t.credits}>
      <Table
        caption={t.credits}
        rows={credits}
        rowKey={({ id }) => id}
        columns={[
          { header: t.reason, cell: ({ reason }) => reason },
          { header: t.granted, cell: ({ createdAt }) => <When at={createdAt} /> },
          { header: t.expires, cell: ({ expiresAt }) => <When at={expiresAt} /> },
          { header: t.amount, align: 'end', cell: ({ amount }) => <Money amount={amount} /> },
          { header: t.remaining, align: 'end', cell: ({ remaining }) => <Money amount={remaining} /> },
        ]}
      />
    </Section>
  );
}

function Happened({ customer, onMore }: PartProps & { onMore: (after: string) => void }) {
  const t = useTexts(texts);
  const words = useTexts(shared);
  const { nodes = [], pageInfo } = customer.timeline ?? {};
  const next = pageInfo?.hasNextPage ? pageInfo.endCursor : undefined;
  return (
    <Section title={t.timeline}>
      <Timeline entries={nodes} />
      {next && (
        <Button look="quiet" onClick={() => onMore(next)}>
          {words.showMore}
        </Button>
      )}
    </Section>
  );
}

import { currencyColumn, customerColumn, idColumn } from '../../billing/columns.tsx';
import { texts as billingTexts } from '../../billing/texts.ts';
import { NextInvoice } from '../../billing/NextInvoice.tsx';
import { useProductChoices } from '../../billing/products.ts';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { searchFilter, type Filter } from '../../design/filters.tsx';
import { Page } from '../../design/Page.tsx';
import { SubscriptionStatus } from '../../design/RecordStatus.tsx';
import { Tabs, useTab, type Tab } from '../../design/Tabs.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { statusTexts as statuses } from '../../texts/texts.ts';
import { Orders } from './Orders.tsx';
import { OrdersQuery } from './ordersQuery.ts';
import { SubscriptionsQuery, type SubscriptionRow } from './query.ts';
import { texts } from './texts.ts';

const choices = ['active', 'trialing', 'past_due', 'paused', 'scheduled', 'incomplete', 'cancelled'] as const;

/** The lists of subscriptions and of orders. */
export function Screen() {
  const t = useTexts(texts);
  const { lists } = useTexts(billingTexts);
  const tabs: Tab[] = [
    { id: 'subscriptions', label: t.title },
    { id: 'orders', label: lists.orders },
  ];
  const isOrders = useTab(tabs) === 'orders';
  return (
    <Page
      title={isOrders ? lists.orders : t.title}
      layout="list"
      request={{ document: isOrders ? OrdersQuery : SubscriptionsQuery, variables: { first: 50 } }}
    >
      <Tabs tabs={tabs} label={t.title} isList />
      {isOrders ? <Orders /> : <Subscriptions />}
    </Page>
  );
}

function Subscriptions() {
  const t = useTexts(texts);
  const words = useTexts(statuses);
  const columns = useColumns();
  const products = useProductChoices();
  const filters: Filter[] = [
    searchFilter(t.search),
    { name: 'status', label: t.status, choices: choices.map((value) => ({ value, label: words[value] })) },
    { name: 'productId', label: t.product, ...products },
  ];
  return (
    <DataTable
      name="subscriptions"
      caption={t.title}
      document={SubscriptionsQuery}
      connection={(data) => data.subscriptions}
      columns={columns}
      filters={filters}
      href={({ id }) => `/subscriptions/${id}`}
      follows={{ types: ['SubscriptionEvent'] }}
      empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
    />
  );
}

function useColumns(): Column<SubscriptionRow>[] {
  const t = useTexts(texts);
  return [
    { id: 'product', header: t.product, cell: nameProduct, csv: nameProduct, width: 200 },
    {
      id: 'status',
      header: t.status,
      cell: ({ status }) => <SubscriptionStatus status={status} />,
      csv: ({ status }) => status,
      width: 130,
    },
    customerColumn(t.customer, ({ customer }) => nameCustomer(customer)),
    {
      id: 'next',
      header: t.next,
      cell: (subscription) => <NextInvoice subscription={subscription} />,
      csv: ({ nextInvoiceAt }) => nextInvoiceAt,
      width: 150,
    },
    {
      id: 'price',
      header: t.price,
      align: 'end',
      cell: ({ agreedPrice }) => <Money amount={agreedPrice} />,
      csv: ({ agreedPrice }) => agreedPrice,
      width: 120,
    },
    {
      id: 'created',
      header: t.created,
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
      width: 144,
    },
    ...listHidden(t),
  ];
}

const listHidden = (t: (typeof texts)['en']): Column<SubscriptionRow>[] => [
  currencyColumn(t.currency, ({ agreedPrice }) => agreedPrice.currency),
  {
    id: 'pastDue',
    header: t.pastDue,
    cell: ({ pastDueSince }) => <When at={pastDueSince} />,
    csv: ({ pastDueSince }) => pastDueSince,
    hidden: true,
    width: 120,
  },
  {
    id: 'trial',
    header: t.trial,
    cell: ({ trialEndsAt }) => <When at={trialEndsAt} />,
    csv: ({ trialEndsAt }) => trialEndsAt,
    hidden: true,
    width: 120,
  },
  idColumn('customerId', t.customerId, ({ customerId }) => customerId),
  idColumn('id', t.id, ({ id }) => id),
];

const nameProduct = ({ productName, quantity }: SubscriptionRow): string =>
  quantity > 1 ? `${productName} × ${quantity}` : productName;

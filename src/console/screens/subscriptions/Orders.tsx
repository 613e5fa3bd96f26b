import { currencyColumn, customerColumn, idColumn } from '../../billing/columns.tsx';
import { useFailureWords } from '../../billing/failures.ts';
import { useListFilters } from '../../billing/listFilters.ts';
import { texts as billingTexts } from '../../billing/texts.ts';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { searchFilter, type Filter } from '../../design/filters.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Money, Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { statusTexts } from '../../texts/texts.ts';
import { OrdersQuery, type OrderRow } from './ordersQuery.ts';

const tones: Record<OrderRow['status'], Tone> = {
  requires_payment_method: 'waiting',
  requires_action: 'waiting',
  processing: 'waiting',
  succeeded: 'good',
  cancelled: 'neutral',
  expired: 'neutral',
};

function useStatusWords(): (status: OrderRow['status']) => string {
  const { lists } = useTexts(billingTexts);
  const statuses = useTexts(statusTexts);
  return (status) => (status === 'cancelled' ? statuses.cancelled : lists[status]);
}

/** The list of orders: the intents to subscribe, paid or not. */
export function Orders() {
  const t = useTexts(billingTexts);
  const words = t.lists;
  const nameStatus = useStatusWords();
  const { customer, dates, currency } = useListFilters();
  const filters: Filter[] = [
    searchFilter(t.search),
    {
      name: 'status',
      label: t.status,
      choices: (Object.keys(tones) as OrderRow['status'][]).map((value) => ({
        value,
        label: nameStatus(value),
      })),
    },
    customer,
    currency,
    ...dates,
  ];
  return (
    <DataTable
      name="orders"
      caption={words.orders}
      document={OrdersQuery}
      connection={(data) => data.intents}
      columns={useColumns()}
      filters={filters}
      href={({ subscriptionId, customerId }) =>
        subscriptionId ? `/subscriptions/${subscriptionId}` : `/customers/${customerId}`
      }
      follows={{ types: ['IntentEvent'] }}
      empty={<Empty title={words.noOrders}>{words.noOrdersText}</Empty>}
    />
  );
}

function useColumns(): Column<OrderRow>[] {
  const t = useTexts(billingTexts);
  const explain = useFailureWords();
  const nameStatus = useStatusWords();
  const nameFailure = ({ declineCode: code, failureReason }: OrderRow) =>
    failureReason ? explain({ code, reason: failureReason }) : '';
  return [
    customerColumn(t.customer, ({ customer }) => nameCustomer(customer)),
    {
      id: 'product',
      header: t.product,
      cell: ({ productName }) => productName,
      csv: ({ productName }) => productName,
      width: 180,
    },
    {
      id: 'status',
      header: t.status,
      cell: ({ status }) => <Status tone={tones[status]}>{nameStatus(status)}</Status>,
      csv: ({ status }) => status,
      width: 150,
    },
    {
      id: 'reason',
      header: t.reason,
      cell: (row) => nameFailure(row) || <Nothing />,
      csv: ({ declineCode, failureReason }) => declineCode ?? failureReason,
      width: 170,
    },
    {
      id: 'price',
      header: t.price,
      align: 'end',
      cell: ({ price }) => <Money amount={price} />,
      csv: ({ price }) => price,
      width: 120,
    },
    {
      id: 'created',
      header: t.date,
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} as="time" />,
      csv: ({ createdAt }) => createdAt,
      width: 200,
    },
    ...listHidden(t),
  ];
}

const listHidden = (t: (typeof billingTexts)['en']): Column<OrderRow>[] => [
  {
    id: 'quantity',
    header: t.quantity,
    align: 'end',
    cell: ({ quantity }) => quantity,
    csv: ({ quantity }) => quantity,
    hidden: true,
    width: 90,
  },
  {
    id: 'orderNumber',
    header: t.lists.orderNumber,
    cell: ({ orderNumber }) => orderNumber ?? <Nothing />,
    csv: ({ orderNumber }) => orderNumber,
    hidden: true,
  },
  {
    id: 'expires',
    header: t.lists.expires,
    align: 'end',
    cell: ({ expiresAt }) => <When at={expiresAt} as="time" />,
    csv: ({ expiresAt }) => expiresAt,
    hidden: true,
  },
  currencyColumn(t.currency, ({ price }) => price.currency),
  idColumn('customerId', t.customerId, ({ customerId }) => customerId),
  idColumn('subscriptionId', t.lists.subscriptionId, ({ subscriptionId }) => subscriptionId),
  idColumn('id', t.id, ({ id }) => id),
];

import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Id, Money, Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { movementKinds, type MovementKind } from './movements.ts';
import { MovementsQuery, type MovementRow } from './query.ts';
import { useSettings } from './settings.ts';
import { texts, movementTexts } from './texts.ts';

const tones: Record<MovementKind, Tone> = {
  new: 'good',
  expansion: 'good',
  reactivation: 'good',
  contraction: 'late',
  churn: 'bad',
};

/** Who came, grew, shrank and left: each movement of the MRR, by kind and period. */
export function Movements({ currency }: { currency: string }) {
  const t = useTexts(texts);
  const names = useTexts(movementTexts);
  const { from, until } = useSettings().variables;
  // The list is exact to the instant: the last day ends twelve hours after its noon.
  const variables = useMemo(() => {
    const half = 43_200_000;
    const [start, end] = [Date.parse(from) - half, Date.parse(until) + half];
    return { currency, from: new Date(start).toISOString(), until: new Date(end).toISOString() };
  }, [currency, from, until]);
  return (
    <DataTable
      name={`mrr-movements-${currency}`}
      caption={t.changes}
      document={MovementsQuery}
      connection={(data) => data.mrrMovements}
      variables={variables}
      columns={useColumns()}
      filters={[
        {
          name: 'kind',
          label: t.kind,
          choices: movementKinds.map((kind) => ({ value: kind, label: names[kind] })),
        },
      ]}
      follows={{ types: ['SubscriptionEvent'] }}
      empty={<Empty title={t.noChanges} />}
    />
  );
}

function useColumns(): Column<MovementRow>[] {
  const t = useTexts(texts);
  const names = useTexts(movementTexts);
  return [
    {
      id: 'customer',
      header: t.customer,
      cell: ({ customer, customerId }) =>
        customer ? (
          <Link href={`/customers/${customer.id}`}>
            <bdi>{nameCustomer(customer)}</bdi>
          </Link>
        ) : (
          <Id id={customerId} />
        ),
      csv: ({ customer, customerId }) => (customer ? nameCustomer(customer) : customerId),
      width: 220,
    },
    {
      id: 'kind',
      header: t.kind,
      cell: ({ kind }) => <Status tone={tones[kind]}>{names[kind]}</Status>,
      csv: ({ kind }) => kind,
      width: 140,
    },
    {
      id: 'amount',
      header: t.amount,
      align: 'end',
      cell: ({ amount }) => <Money amount={amount} />,
      csv: ({ amount }) => amount,
      width: 140,
    },
    {
      id: 'mrrAfter',
      header: t.mrrAfter,
      align: 'end',
      cell: ({ mrrAfter }) => <Money amount={mrrAfter} />,
      csv: ({ mrrAfter }) => mrrAfter,
      width: 160,
    },
    {
      id: 'subscription',
      header: t.subscription,
      cell: ({ subscription }) =>
        subscription ? (
          <Link href={`/subscriptions/${subscription.id}`}>{subscription.productName}</Link>
        ) : (
          <Nothing />
        ),
      csv: ({ subscription }) => subscription?.id,
    },
    {
      id: 'at',
      header: t.at,
      align: 'end',
      cell: ({ at }) => <When at={at} as="time" />,
      csv: ({ at }) => at,
      width: 170,
    },
  ];
}

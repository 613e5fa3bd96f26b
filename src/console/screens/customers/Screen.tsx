import { idColumn } from '../../billing/columns.tsx';
import { useState } from 'react';
import { Page } from '../../design/Page.tsx';
import { Button } from '../../design/Button.tsx';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { searchFilter } from '../../design/filters.tsx';
import { Id, MoneyList, Nothing, When } from '../../design/Values.tsx';
import { useRefusal } from '../../app/permissions.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { CreateCustomer } from './CreateCustomer.tsx';
import { CustomersQuery, type CustomerRow } from './query.ts';
import { texts } from './texts.ts';

const statuses = ['invalid', 'unavailable', 'valid'] as const;

/** The list of customers. */
export function Screen() {
  const t = useTexts(texts);
  const refusal = useRefusal('manage_customers');
  const [creating, setCreating] = useState(false);
  const columns = useColumns();
  const vatIdFilter = {
    name: 'vatIdStatus',
    label: t.vatId,
    choices: statuses.map((value) => ({ value, label: t.vatIdStatus[value] })),
  };
  const create = (
    <Button look="main" icon="plus" refused={refusal} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page
      title={t.title}
      layout="list"
      actions={create}
      request={{ document: CustomersQuery, variables: { first: 50 } }}
    >
      <DataTable
        name="customers"
        caption={t.title}
        document={CustomersQuery}
        connection={(data) => data.customers}
        columns={columns}
        filters={[searchFilter(t.search), vatIdFilter]}
        href={({ id }) => `/customers/${id}`}
        follows={{ types: ['CustomerEvent'] }}
        empty={
          <Empty title={t.empty} action={create}>
            {t.emptyText}
          </Empty>
        }
      />
      {creating && <CreateCustomer onClose={() => setCreating(false)} />}
    </Page>
  );
}

function useColumns(): Column<CustomerRow>[] {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    { id: 'name', header: t.name, cell: nameCustomer, csv: nameCustomer, width: 200 },
    { id: 'email', header: t.email, cell: ({ email }) => email, csv: ({ email }) => email, width: 220 },
    {
      id: 'subscriptions',
      header: t.subscriptions,
      cell: (row) => listProducts(row) || <Nothing />,
      csv: listProducts,
      width: 220,
    },
    {
      id: 'balance',
      header: t.balance,
      align: 'end',
      cell: ({ balance }) => <MoneyList amounts={balance} />,
      csv: ({ balance }) => balance.map(({ decimal, currency }) => `${decimal} ${currency}`).join('; '),
      width: 120,
    },
    {
      id: 'country',
      header: t.country,
      cell: ({ address }) => (address ? format.country(address.country) : <Nothing />),
      csv: ({ address }) => address?.country,
      hidden: true,
    },
    {
      id: 'associatedId',
      header: t.associatedId,
      cell: ({ associatedId }) => <Id id={associatedId} />,
      csv: ({ associatedId }) => associatedId,
      width: 150,
    },
    idColumn('id', t.id, ({ id }) => id),
    {
      id: 'created',
      header: t.created,
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
      width: 120,
    },
  ];
}

const listProducts = ({ activeSubscriptions }: CustomerRow): string =>
  activeSubscriptions.map(({ productName }) => productName).join(', ');

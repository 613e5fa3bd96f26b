import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { CreditTypeDialog } from '../../billing/credits/CreditTypeDialog.tsx';
import { CreditTypes } from '../../billing/credits/CreditTypes.tsx';
import { CreditTypesQuery, useCreditTypes, type CreditType } from '../../billing/credits/queries.ts';
import { typeTexts } from '../../billing/credits/texts.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import type { Filter } from '../../design/filters.tsx';
import { Page } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { Tabs, useTab } from '../../design/Tabs.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { usePriceWords } from '../../texts/prices.ts';
import { CreateProductDialog } from './CreateProduct.tsx';
import { GroupDialog } from './GroupDialog.tsx';
import { CatalogQuery, GroupsQuery, type GroupRow, type ProductRow } from './query.ts';
import { texts } from './texts.ts';

const requests = {
  products: { document: CatalogQuery, variables: { first: 50 } },
  groups: { document: GroupsQuery },
  credits: { document: CreditTypesQuery },
};

/** The catalogue: the products with their prices, the groups, and the credit types. */
export function Screen() {
  const t = useTexts(texts);
  const ct = useTexts(typeTexts);
  const refusal = useRefusal('manage_catalog');
  const [creating, setCreating] = useState(false);
  const groups = useScreenQuery(GroupsQuery, {}, { types: ['GroupEvent', 'ProductEvent'] });
  const tabs = [
    { id: 'products', label: t.products },
    { id: 'groups', label: t.groups },
    { id: 'credits', label: ct.types },
  ];
  const tab = useTab(tabs) as keyof typeof requests;
  const isProducts = tab === 'products';
  const [creditType, setCreditType] = useState<CreditType | 'new'>();
  const [group, setGroup] = useState<GroupRow | 'new'>();
  const create = (
    <Button
      look="main"
      icon="plus"
      refused={refusal}
      onClick={() =>
        ({
          products: () => setCreating(true),
          groups: () => setGroup('new'),
          credits: () => setCreditType('new'),
        })[tab]()
      }
    >
      {{ products: t.newProduct, groups: t.newGroup, credits: ct.create }[tab]}
    </Button>
  );
  const known = groups.data?.groups?.nodes ?? [];
  return (
    <Page title={t.title} layout={isProducts ? 'list' : 'text'} actions={create} request={requests[tab]}>
      <Tabs tabs={tabs} label={t.title} />
      {isProducts && <Products groups={known} create={create} />}
      {tab === 'groups' && (
        <Loaded result={groups}>{() => <Groups groups={known} onOpen={setGroup} create={create} />}</Loaded>
      )}
      {tab === 'credits' && <Credits opened={creditType} onOpen={setCreditType} create={create} />}
      {creating && groups.data && <CreateProductDialog groups={known} onClose={() => setCreating(false)} />}
      {group && (
        <GroupDialog
          group={group === 'new' ? undefined : group}
          onClose={() => setGroup(undefined)}
          onDone={groups.refetch}
        />
      )}
    </Page>
  );
}

interface CreditsProps {
  /** The credit type whose dialog is open. */
  opened: CreditType | 'new' | undefined;
  onOpen: (type: CreditType | undefined) => void;
  create: React.ReactNode;
}

function Credits({ opened, onOpen, create }: CreditsProps) {
  const result = useCreditTypes();
  const meters = result.data?.meters?.nodes ?? [];
  return (
    <>
      <Loaded result={result}>
        {({ creditTypes }) => (
          <CreditTypes types={creditTypes?.nodes ?? []} meters={meters} create={create} onOpen={onOpen} />
        )}
      </Loaded>
      {opened && result.data && (
        <CreditTypeDialog
          type={opened === 'new' ? undefined : opened}
          meters={meters}
          onClose={() => onOpen(undefined)}
          onDone={result.refetch}
        />
      )}
    </>
  );
}

function Products({ groups, create }: { groups: GroupRow[]; create: React.ReactNode }) {
  const t = useTexts(texts);
  const columns = useColumns();
  const filters: Filter[] = [
    { name: 'name', label: t.name },
    {
      name: 'groupId',
      label: t.group,
      choices: groups.map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: 'active',
      label: t.status,
      choices: [
        { value: 'true', label: t.active },
        { value: 'false', label: t.inactive },
      ],
      parse: (text) => text === 'true',
    },
  ];
  return (
    <DataTable
      name="products"
      caption={t.products}
      document={CatalogQuery}
      connection={(data) => data.products}
      columns={columns}
      filters={filters}
      href={({ id }) => `/catalog/${id}`}
      follows={{ types: ['ProductEvent', 'PriceEvent', 'GroupEvent'] }}
      empty={
        <Empty title={t.empty} action={create}>
          {t.emptyText}
        </Empty>
      }
    />
  );
}

function useColumns(): Column<ProductRow>[] {
  const t = useTexts(texts);
  const format = useFormat();
  const { writePrice } = usePriceWords();
  const listPrices = ({ prices }: ProductRow) => prices.map(writePrice).join(' · ');
  return [
    { id: 'name', header: t.name, cell: ({ name }) => name, csv: ({ name }) => name, width: 220 },
    {
      id: 'group',
      header: t.group,
      cell: ({ group }) => group?.name ?? <Nothing />,
      csv: ({ group }) => group?.name,
      width: 160,
    },
    {
      id: 'prices',
      header: t.prices,
      cell: (row) => listPrices(row) || <Nothing />,
      csv: listPrices,
      width: 310,
    },
    {
      id: 'status',
      header: t.status,
      cell: (row) =>
        row.active && listPrices(row) === '' ? (
          <Status tone="waiting">{t.noPrice}</Status>
        ) : (
          <Status tone={row.active ? 'good' : 'neutral'}>{row.active ? t.active : t.inactive}</Status>
        ),
      csv: ({ active }) => String(active),
      width: 155,
    },
    {
      id: 'count',
      header: t.priceCount,
      align: 'end',
      cell: ({ prices }) => format.number(prices.length),
      csv: ({ prices }) => prices.length,
      hidden: true,
    },
    {
      id: 'taxCode',
      header: t.taxCode,
      cell: ({ taxCode }) => taxCode ?? <Nothing />,
      csv: ({ taxCode }) => taxCode,
      hidden: true,
    },
    {
      id: 'created',
      header: t.created,
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
      width: 145,
    },
  ];
}

interface GroupsProps {
  groups: GroupRow[];
  onOpen: (group: GroupRow) => void;
  create: React.ReactNode;
}

function Groups({ groups, onOpen, create }: GroupsProps) {
  const t = useTexts(texts);
  const refusal = useRefusal('manage_catalog');
  if (groups.length === 0) {
    return (
      <Empty title={t.noGroups} action={create}>
        {t.noGroupsText}
      </Empty>
    );
  }
  return (
    <Table
      caption={t.groups}
      rows={groups}
      rowKey={({ id }) => id}
      columns={[
        { header: t.name, cell: ({ name }) => name },
        {
          header: t.products,
          cell: ({ products }) => (
            <span className="row">
              {products
                .filter(({ deleted }) => !deleted)
                .map(({ id, name }) => (
                  <Link key={id} href={`/catalog/${id}`}>
                    {name}
                  </Link>
                ))}
            </span>
          ),
        },
        { header: t.prorate, cell: ({ prorateUpgrades }) => (prorateUpgrades ? t.yes : t.no) },
        {
          header: t.actions,
          align: 'end',
          cell: (group) => (
            <Button look="quiet" refused={refusal} onClick={() => onOpen(group)}>
              {t.edit}
            </Button>
          ),
        },
      ]}
    />
  );
}

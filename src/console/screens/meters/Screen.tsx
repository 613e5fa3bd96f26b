import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { Button } from '../../design/Button.tsx';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CreateMeterDialog } from './CreateMeter.tsx';
import { MetersQuery, type MeterRow } from './query.ts';
import { texts } from './texts.ts';

/** The list of meters. */
export function Screen() {
  const t = useTexts(texts);
  const refusal = useRefusal('manage_catalog');
  const [creating, setCreating] = useState(false);
  const columns = useColumns();
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
      request={{ document: MetersQuery, variables: { first: 50 } }}
    >
      <DataTable
        name="meters"
        caption={t.title}
        document={MetersQuery}
        connection={(data) => data.meters}
        columns={columns}
        href={({ id }) => `/meters/${id}`}
        follows={{ types: ['MeterEvent'] }}
        empty={
          <Empty title={t.empty} action={create}>
            {t.emptyText}
          </Empty>
        }
      />
      {creating && <CreateMeterDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function useColumns(): Column<MeterRow>[] {
  const t = useTexts(texts);
  const writeCounted = ({ aggregation, value }: MeterRow) =>
    value === null ? t[aggregation] : `${t[aggregation]}: ${value}`;
  return [
    { id: 'name', header: t.name, cell: ({ name }) => name, csv: ({ name }) => name, width: 220 },
    { id: 'event', header: t.event, cell: ({ event }) => event, csv: ({ event }) => event, width: 185 },
    { id: 'counts', header: t.counts, cell: writeCounted, csv: writeCounted, width: 220 },
    {
      id: 'groupBy',
      header: t.groupBy,
      cell: ({ groupBy }) => groupBy.join(', '),
      csv: ({ groupBy }) => groupBy.join(', '),
      width: 170,
    },
    {
      id: 'status',
      header: t.status,
      cell: ({ archivedAt }) => (
        <Status tone={archivedAt === null ? 'good' : 'neutral'}>
          {archivedAt === null ? t.active : t.archived}
        </Status>
      ),
      csv: ({ archivedAt }) => (archivedAt === null ? 'active' : 'archived'),
      width: 120,
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

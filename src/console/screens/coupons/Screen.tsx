import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { Button } from '../../design/Button.tsx';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useCouponWords } from '../../texts/coupons.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { CreateCoupon } from './CreateCoupon.tsx';
import { CouponsQuery, type CouponRow } from './query.ts';
import { texts } from './texts.ts';

/** The list of coupons. */
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
  const filter = {
    name: 'active',
    label: t.status,
    choices: [
      { value: 'true', label: t.active },
      { value: 'false', label: t.inactive },
    ],
    parse: (text: string) => text === 'true',
  };
  return (
    <Page
      title={t.title}
      layout="list"
      actions={create}
      request={{ document: CouponsQuery, variables: { first: 50 } }}
    >
      <DataTable
        name="coupons"
        caption={t.title}
        document={CouponsQuery}
        connection={(data) => data.coupons}
        columns={columns}
        filters={[filter]}
        href={({ id }) => `/coupons/${id}`}
        follows={{ types: ['CouponEvent'] }}
        empty={
          <Empty title={t.empty} action={create}>
            {t.emptyText}
          </Empty>
        }
      />
      {creating && <CreateCoupon onClose={() => setCreating(false)} />}
    </Page>
  );
}

function useColumns(): Column<CouponRow>[] {
  const t = useTexts(texts);
  const format = useFormat();
  const { writeCoupon, writeOff, writeDuration } = useCouponWords();
  const writeLimit = ({ timesRedeemed, maxRedemptions }: CouponRow): string =>
    maxRedemptions === null
      ? format.number(timesRedeemed)
      : t.ofMost(format.number(timesRedeemed), format.number(maxRedemptions));
  return [
    { id: 'name', header: t.name, cell: ({ name }) => name, csv: ({ name }) => name, width: 200 },
    { id: 'terms', header: t.terms, cell: writeCoupon, csv: writeCoupon, width: 320 },
    { id: 'off', header: t.off, align: 'end', cell: writeOff, csv: writeOff, width: 110, hidden: true },
    { id: 'duration', header: t.duration, cell: writeDuration, csv: writeDuration, hidden: true },
    {
      id: 'redeemed',
      header: t.redeemed,
      align: 'end',
      cell: writeLimit,
      csv: ({ timesRedeemed }) => timesRedeemed,
      width: 120,
    },
    {
      id: 'status',
      header: t.status,
      cell: ({ active }) => (
        <Status tone={active ? 'good' : 'neutral'}>{active ? t.active : t.inactive}</Status>
      ),
      csv: ({ active }) => (active ? 'active' : 'inactive'),
      width: 120,
    },
    {
      id: 'redeemBy',
      header: t.redeemBy,
      cell: ({ redeemBy }) => (redeemBy ? <When at={redeemBy} /> : <Nothing />),
      csv: ({ redeemBy }) => redeemBy,
      width: 140,
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

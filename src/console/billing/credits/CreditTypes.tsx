import { useRefusal } from '../../app/permissions.ts';
import { Button } from '../../design/Button.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Table } from '../../design/Table.tsx';
import { When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { CreditMeter, CreditType } from './queries.ts';
import { typeTexts as texts } from './texts.ts';

interface CreditTypesProps {
  types: readonly CreditType[];
  meters: readonly CreditMeter[];
  create: React.ReactNode;
  onOpen: (type: CreditType) => void;
}

/** The credit types, each with what its credits pay. */
export function CreditTypes({ types, meters, create, onOpen }: CreditTypesProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const refused = useRefusal('manage_catalog');
  if (types.length === 0)
    return (
      <Empty title={t.none} action={create}>
        {t.noneText}
      </Empty>
    );
  const write = (decimal: string) => format.number(Number(decimal), { maximumFractionDigits: 12 });
  const nameMeter = (id: string) => meters.find((meter) => meter.id === id)?.name ?? id;
  return (
    <Table
      caption={t.types}
      rows={[...types]}
      rowKey={({ id }) => id}
      columns={[
        { header: t.name, cell: ({ name }) => <span dir="auto">{name}</span> },
        {
          header: t.rates,
          cell: ({ rates }) => (
            <>
              {rates.map(({ meterId, units, credits }) => (
                <div key={meterId}>
                  <bdi>{t.rate(write(credits), write(units), nameMeter(meterId))}</bdi>
                </div>
              ))}
            </>
          ),
        },
        { header: t.created, cell: ({ createdAt }) => <When at={createdAt} /> },
        {
          header: t.actions,
          align: 'end',
          cell: (type) => (
            <Button look="quiet" refused={refused} onClick={() => onOpen(type)}>
              {t.edit}
            </Button>
          ),
        },
      ]}
    />
  );
}

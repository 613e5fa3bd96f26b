import type { Problem } from '../../data/errors.ts';
import { Button } from '../../design/Button.tsx';
import { Field } from '../../design/Field.tsx';
import { Table } from '../../design/Table.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { findFieldProblem } from '../../texts/problems.ts';
import type { TierValues } from './priceForm.ts';
import { texts } from './texts.ts';

interface TiersProps {
  tiers: TierValues[];
  onChange: (tiers: TierValues[]) => void;
  problem: Problem | undefined;
}

/** The tiers of a price in a table. The last one has no end. */
export function Tiers({ tiers, onChange, problem }: TiersProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const rows = tiers.map((tier, index) => ({ tier, index }));
  const put = (index: number, changes: Partial<TierValues>) =>
    onChange(tiers.map((tier, each) => (each === index ? { ...tier, ...changes } : tier)));
  const remove = (index: number) => {
    const left = tiers.filter((_, each) => each !== index);
    onChange(left.map((tier, each) => (each === left.length - 1 ? { ...tier, upTo: '' } : tier)));
  };
  const add = () => {
    const before = Number(tiers.at(-2)?.upTo ?? 0) || 10;
    const last = tiers.at(-1)!;
    onChange([...tiers.slice(0, -1), { ...last, upTo: String(before * 10) }, last]);
  };
  const buildCell = (name: keyof TierValues, label: string) => ({
    header: label,
    align: 'end' as const,
    cell: ({ tier, index }: { tier: TierValues; index: number }) =>
      name === 'upTo' && index === tiers.length - 1 ? (
        t.noEnd
      ) : (
        <Field
          compact
          label={`${label}, ${t.tier(format.number(index + 1))}`}
          inputMode="decimal"
          value={tier[name]}
          problem={findFieldProblem(problem, `tiers.${index}.${name}`)}
          onChange={({ target }) => put(index, { [name]: target.value })}
        />
      ),
  });
  return (
    <div className="price-tiers stack">
      <Table
        caption={t.tiers}
        rows={rows}
        rowKey={({ index }) => String(index)}
        columns={[
          buildCell('upTo', t.upTo),
          buildCell('unitAmount', t.unitAmount),
          buildCell('flatAmount', t.flatAmount),
          {
            header: t.actions,
            align: 'end',
            cell: ({ index }) => (
              <Button
                look="quiet"
                icon="close"
                aria-label={t.removeTier(format.number(index + 1))}
                disabled={tiers.length === 1}
                onClick={() => remove(index)}
              />
            ),
          },
        ]}
      />
      <div>
        <Button icon="plus" onClick={add}>
          {t.addTier}
        </Button>
      </div>
    </div>
  );
}

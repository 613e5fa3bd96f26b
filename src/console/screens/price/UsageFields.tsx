import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { Field, Select } from '../../design/Field.tsx';
import type { Form } from '../../design/form.ts';
import { Table, type SimpleColumn } from '../../design/Table.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import type { Problem } from '../../data/errors.ts';
import type { PriceValues, RateValues } from './priceForm.ts';
import { MetersQuery } from './query.ts';
import { usageTexts as texts } from './texts.ts';

interface UsageProps {
  form: Form<PriceValues>;
  problem: Problem | undefined;
}

/** Returns the meters that count. */
function useMeters() {
  const { data } = useScreenQuery(MetersQuery, {}, { types: ['MeterEvent'] });
  return (data?.meters?.nodes ?? []).filter(({ archivedAt }) => archivedAt === null);
}

/** What is billed: a quantity in advance, or what a meter counts. */
export function MeterChoice({ form: { values, bind, change } }: { form: Form<PriceValues> }) {
  const t = useTexts(texts);
  const meters = useMeters();
  const choose = (meterId: string) => {
    if (meterId === '') return change({ meterId, ...(values.model === 'percentage' && { model: 'flat' }) });
    change({ meterId, ...(values.model === 'flat' && { model: 'per_unit' }) });
  };
  return (
    <Select
      label={t.meter}
      hint={t.meterHint}
      choices={[
        { value: '', label: t.noMeter },
        ...meters.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      {...bind('meterId')}
      onChange={({ target }) => choose(target.value)}
    />
  );
}

/** What usage costs besides its units, and by the properties of its events. */
export function UsageFields({ form, problem }: UsageProps) {
  const t = useTexts(texts);
  const { values, bind } = form;
  if (values.meterId === '') return null;
  return (
    <div className="stack">
      {values.model === 'percentage' && <Percentage form={form} />}
      {values.model === 'per_unit' && <Rates form={form} problem={problem} />}
      {values.model !== 'percentage' && (
        <Field
          label={t.includedUnits}
          hint={t.includedUnitsHint}
          inputMode="decimal"
          {...bind('includedUnits')}
        />
      )}
      <div className="price-pair">
        <Field label={t.minimumSpend} inputMode="decimal" {...bind('minimumSpend')} />
        <Field label={t.maximumSpend} inputMode="decimal" {...bind('maximumSpend')} />
      </div>
    </div>
  );
}

function Percentage({ form: { bind } }: { form: Form<PriceValues> }) {
  const t = useTexts(texts);
  return (
    <>
      <div className="price-pair">
        <Field label={t.percent} inputMode="decimal" required {...bind('percent', 'percentage.percent')} />
        <Field
          label={t.fixedPerEvent}
          inputMode="decimal"
          {...bind('fixedPerEvent', 'percentage.fixedPerEvent')}
        />
      </div>
      <div className="price-pair">
        <Field label={t.freeEvents} inputMode="numeric" {...bind('freeEvents', 'percentage.freeEvents')} />
        <Field label={t.freeAmount} inputMode="decimal" {...bind('freeAmount', 'percentage.freeAmount')} />
      </div>
      <div className="price-pair">
        <Field label={t.minPerEvent} inputMode="decimal" {...bind('minPerEvent', 'percentage.minPerEvent')} />
        <Field label={t.maxPerEvent} inputMode="decimal" {...bind('maxPerEvent', 'percentage.maxPerEvent')} />
      </div>
    </>
  );
}

/** The prices of units by the properties by which the meter can be broken down. */
function Rates({ form: { values, change }, problem }: UsageProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const meter = useMeters().find(({ id }) => id === values.meterId);
  if (!meter || meter.groupBy.length === 0) return null;
  const { rates } = values;
  const put = (index: number, changes: Partial<RateValues>) =>
    change({ rates: rates.map((rate, each) => (each === index ? { ...rate, ...changes } : rate)) });
  const remove = (index: number) => change({ rates: rates.filter((_, each) => each !== index) });
  const columns: SimpleColumn<{ rate: RateValues; index: number }>[] = [
    ...meter.groupBy.map((name) => ({
      header: name,
      cell: ({ rate, index }: { rate: RateValues; index: number }) => (
        <Field
          compact
          label={`${name}, ${t.rate(format.number(index + 1))}`}
          value={rate.match[name] ?? ''}
          {...findRefusal(problem, `rates.${index}.match.${name}`)}
          onChange={({ target }) => put(index, { match: { ...rate.match, [name]: target.value } })}
        />
      ),
    })),
    {
      header: t.unitAmount,
      align: 'end',
      cell: ({ rate, index }) => (
        <Field
          compact
          label={`${t.unitAmount}, ${t.rate(format.number(index + 1))}`}
          inputMode="decimal"
          value={rate.unitAmount}
          {...findRefusal(problem, `rates.${index}.unitAmount`)}
          onChange={({ target }) => put(index, { unitAmount: target.value })}
        />
      ),
    },
    {
      header: t.actions,
      align: 'end',
      cell: ({ index }) => <RemoveRate number={format.number(index + 1)} onClick={() => remove(index)} />,
    },
  ];
  return (
    <div className="price-tiers stack">
      <p className="soft">{t.ratesHint}</p>
      {rates.length > 0 && (
        <Table
          caption={t.rates}
          rows={rates.map((rate, index) => ({ rate, index }))}
          rowKey={({ index }) => String(index)}
          columns={columns}
        />
      )}
      <div>
        <Button
          icon="plus"
          edits
          onClick={() => change({ rates: [...rates, { match: {}, unitAmount: '' }] })}
        >
          {t.addRate}
        </Button>
      </div>
    </div>
  );
}

function RemoveRate({ number, onClick }: { number: string; onClick: () => void }) {
  const t = useTexts(texts);
  return <Button look="quiet" icon="close" edits aria-label={t.removeRate(number)} onClick={onClick} />;
}

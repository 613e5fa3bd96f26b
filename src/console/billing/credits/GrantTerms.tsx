import { useFindPrices, type PriceToChoose } from '../prices.ts';
import { ChipsCombobox } from '../../design/Combobox.tsx';
import { Checkbox, Field, Select } from '../../design/Field.tsx';
import type { Form } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal } from '../../texts/numbers.ts';
import { PeriodFields, readPeriod, type PeriodValues } from './PeriodFields.tsx';
import type { CreditMeter } from './queries.ts';
import { periodTexts, termTexts as texts } from './texts.ts';

/** The charges that a grant lowers, and what is kept of it, as a form holds them. */
export interface TermValues extends PeriodValues {
  scope: 'everything' | 'byPrices' | 'byMeters';
  prices: PriceToChoose[];
  meterIds: string[];
  rollover: 'lost' | 'percent' | 'maximum';
  percent: string;
  maximum: string;
}

export const noTerms: TermValues = {
  scope: 'everything',
  prices: [],
  meterIds: [],
  rollover: 'lost',
  percent: '',
  maximum: '',
  period: '1',
  frequency: 'Monthly',
};

interface ScopeFieldsProps {
  form: Form<TermValues>;
  meters: readonly CreditMeter[];
}

/** The fields of the charges that a grant lowers. */
export function ScopeFields({ form, meters }: ScopeFieldsProps) {
  const t = useTexts(texts);
  const { values, bind, change } = form;
  const find = useFindPrices();
  const { scope, prices, meterIds } = values;
  const scopes = ['everything', 'byPrices', 'byMeters'] as const;
  return (
    <>
      <Select
        label={t.lowers}
        choices={scopes.map((value) => ({ value, label: t[value] }))}
        {...bind('scope', 'appliesTo')}
      />
      {scope === 'byPrices' && (
        <ChipsCombobox
          label={t.addPrice}
          placeholder="–"
          find={find}
          chosen={prices}
          onChange={(chosen) => change({ prices: chosen })}
        />
      )}
      {scope === 'byMeters' && meters.length === 0 && <p className="soft">{t.noMeters}</p>}
      {scope === 'byMeters' &&
        meters.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={meterIds.includes(id)}
            onChange={({ target }) =>
              change({
                meterIds: target.checked ? [...meterIds, id] : meterIds.filter((each) => each !== id),
              })
            }
          />
        ))}
    </>
  );
}

/** The fields of what is kept when a grant expires. An amount is kept of money only. */
export function RolloverFields({ form, isMoney }: { form: Form<TermValues>; isMoney: boolean }) {
  const t = useTexts(texts);
  const { kept } = useTexts(periodTexts);
  const { values, bind } = form;
  const rollover = findRollover(values, isMoney);
  const kinds = isMoney ? (['lost', 'percent', 'maximum'] as const) : (['lost', 'percent'] as const);
  return (
    <>
      <Select
        label={t.rollover}
        choices={kinds.map((value) => ({ value, label: t[value] }))}
        {...bind('rollover')}
        value={rollover}
      />
      {rollover === 'percent' && (
        <Field label={t.percentLabel} inputMode="decimal" required {...bind('percent', 'rollover.percent')} />
      )}
      {rollover === 'maximum' && (
        <Field label={t.maximumLabel} inputMode="decimal" required {...bind('maximum', 'rollover.maximum')} />
      )}
      {rollover !== 'lost' && <PeriodFields form={form} label={kept} path="rollover.expiresAfter" />}
    </>
  );
}

/** Returns what is kept: never an amount of credits of a type. */
const findRollover = ({ rollover }: TermValues, isMoney: boolean): TermValues['rollover'] =>
  rollover === 'maximum' && !isMoney ? 'lost' : rollover;

/** Returns the charges that a grant lowers as the schema takes them; null for all. */
export const readScope = ({ scope, prices, meterIds }: TermValues) =>
  scope === 'everything'
    ? null
    : scope === 'byPrices'
      ? { priceIds: prices.map(({ value }) => value) }
      : { meterIds };

/** Returns what is kept of a grant as the schema takes it; null for nothing. */
export function readRollover(values: TermValues, currency: string, isMoney: boolean) {
  const { percent, maximum } = values;
  const rollover = findRollover(values, isMoney);
  if (rollover === 'lost') return null;
  const expiresAfter = readPeriod(values);
  return rollover === 'percent'
    ? { expiresAfter, percent: readDecimal(percent) }
    : { expiresAfter, maximum: { decimal: readDecimal(maximum), currency } };
}

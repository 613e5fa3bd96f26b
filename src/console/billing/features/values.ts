import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal } from '../../texts/numbers.ts';
import type { FeatureKind } from './queries.ts';
import { texts } from './texts.ts';

/** What a form says of a value. */
export interface ValueForm {
  yes: string;
  json: string;
  units: string;
  soft: boolean;
  overageLimit: string;
}

export const emptyValue: ValueForm = { yes: 'true', json: '', units: '', soft: false, overageLimit: '' };

/** The value of a form as the API takes it; undefined for text that is no JSON. */
export function readValue(kind: FeatureKind, values: ValueForm): { value: unknown } | undefined {
  if (kind === 'boolean') return { value: values.yes === 'true' };
  if (kind === 'limit') return { value: values.units.trim() === '' ? null : readDecimal(values.units) };
  try {
    return { value: JSON.parse(values.json) as unknown };
  } catch {
    return undefined;
  }
}

/** Reads `50, 80, 100`; what is no number is refused by the server. */
export const readPercents = (text: string): number[] => (text.match(/[^\s,;%،٪]+/g) ?? []).map(Number);

/** What a form says of the alerts of a limit. */
export interface AlertForm {
  usesTenantAlerts: boolean;
  alertPercents: string;
}

/** The alerts of a form as the API takes them: null for those of the tenant. */
export const readAlerts = ({ usesTenantAlerts, alertPercents }: AlertForm): number[] | null =>
  usesTenantAlerts ? null : readPercents(alertPercents);

/** The terms of a limit above it. */
export const readOverage = (kind: FeatureKind, { soft, overageLimit }: ValueForm) => {
  if (kind !== 'limit' || !soft) return {};
  return { soft, overageLimit: overageLimit.trim() === '' ? null : readDecimal(overageLimit) };
};

/** Returns a function that writes the value of a feature. */
export function useValues(): (kind: FeatureKind, value: unknown) => string {
  const t = useTexts(texts);
  const format = useFormat();
  return (kind, value) => {
    if (kind === 'boolean') return value === true ? t.yes : t.no;
    if (kind === 'config') return typeof value === 'string' ? value : JSON.stringify(value);
    return value === null ? t.unlimited : format.number(Number(value), { maximumFractionDigits: 12 });
  };
}

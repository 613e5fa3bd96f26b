import { readDecimal, readWhole } from '../../texts/numbers.ts';
import { orNull } from '../../design/form.ts';
import type { PriceData, PriceInput } from './query.ts';

type Model = PriceData['model'];

/** A tier as it is typed. */
export interface TierValues {
  upTo: string;
  unitAmount: string;
  flatAmount: string;
}

/** A rate as it is typed: the values of properties by their names. */
export interface RateValues {
  match: Record<string, string>;
  unitAmount: string;
}

/** A price as it is typed. */
export interface PriceValues {
  model: Model;
  nickname: string;
  lookupKey: string;
  decimal: string;
  currency: string;
  packageSize: string;
  frequency: PriceData['recurring']['frequency'];
  period: string;
  minQuantity: string;
  maxQuantity: string;
  trialDays: string;
  setupFee: string;
  inclusive: boolean;
  tiers: TierValues[];
  /** Empty for a price in advance. */
  meterId: string;
  includedUnits: string;
  minimumSpend: string;
  maximumSpend: string;
  rates: RateValues[];
  percent: string;
  fixedPerEvent: string;
  freeEvents: string;
  freeAmount: string;
  minPerEvent: string;
  maxPerEvent: string;
}

/** The form of a new price: a monthly one, in the currency of the others. */
export const createValues = (currency: string): PriceValues => ({
  model: 'flat',
  nickname: '',
  lookupKey: '',
  decimal: '10',
  currency,
  packageSize: '100',
  frequency: 'Monthly',
  period: '1',
  minQuantity: '',
  maxQuantity: '',
  trialDays: '',
  setupFee: '',
  inclusive: false,
  tiers: [
    { upTo: '10', unitAmount: '10', flatAmount: '0' },
    { upTo: '100', unitAmount: '8', flatAmount: '0' },
    { upTo: '', unitAmount: '6', flatAmount: '0' },
  ],
  meterId: '',
  includedUnits: '',
  minimumSpend: '',
  maximumSpend: '',
  rates: [],
  percent: '2.9',
  fixedPerEvent: '',
  freeEvents: '',
  freeAmount: '',
  minPerEvent: '',
  maxPerEvent: '',
});

/** Whether a model has tiers. */
export const hasTiers = (model: Model): boolean => model === 'graduated' || model === 'volume';

/** The input of a new price. An empty field is left out; what is no number is left for the server to refuse. */
export function toInput(values: PriceValues): PriceInput {
  const { model, currency, period, frequency } = values;
  const isTiered = hasTiers(model);
  const isUsage = values.meterId !== '';
  const hasAmount = !isTiered && model !== 'percentage';
  const fee = orNull(values.setupFee);
  return {
    model,
    nickname: orNull(values.nickname),
    lookupKey: orNull(values.lookupKey),
    details: { decimal: hasAmount ? readDecimal(orNull(values.decimal) ?? '0') : '0', currency },
    recurring: { frequency, period: readWhole(period) ?? 0 },
    packageSize: model === 'package' ? readWhole(values.packageSize) : null,
    minQuantity: model === 'flat' || isUsage ? null : readWhole(values.minQuantity),
    maxQuantity: model === 'flat' || isUsage ? null : readWhole(values.maxQuantity),
    trialDays: readWhole(values.trialDays),
    setupFee: fee === null ? null : { decimal: readDecimal(fee), currency },
    taxBehavior: values.inclusive ? 'inclusive' : 'exclusive',
    tiers: isTiered
      ? values.tiers.map(({ upTo, unitAmount, flatAmount }) => ({
          upTo: orNull(readDecimal(upTo)),
          unitAmount: readDecimal(orNull(unitAmount) ?? '0'),
          flatAmount: readDecimal(orNull(flatAmount) ?? '0'),
        }))
      : null,
    ...(isUsage && readUsage(values)),
  };
}

/** The terms of usage. A property that is left empty is not compared. */
function readUsage(values: PriceValues): Partial<PriceInput> {
  const { currency, model, rates } = values;
  const decimal = (text: string) => orNull(readDecimal(text));
  const spend = (text: string) => (orNull(text) === null ? null : { decimal: readDecimal(text), currency });
  const isPercentage = model === 'percentage';
  return {
    meterId: values.meterId,
    includedUnits: isPercentage ? null : decimal(values.includedUnits),
    minimumSpend: spend(values.minimumSpend),
    maximumSpend: spend(values.maximumSpend),
    rates:
      model === 'per_unit' && rates.length > 0
        ? rates.map(({ match, unitAmount }) => ({
            match: Object.fromEntries(Object.entries(match).filter(([, value]) => value.trim() !== '')),
            unitAmount: readDecimal(orNull(unitAmount) ?? '0'),
          }))
        : null,
    percentage: isPercentage
      ? {
          percent: readDecimal(orNull(values.percent) ?? '0'),
          fixedPerEvent: decimal(values.fixedPerEvent),
          freeEvents: readWhole(values.freeEvents),
          freeAmount: decimal(values.freeAmount),
          minPerEvent: decimal(values.minPerEvent),
          maxPerEvent: decimal(values.maxPerEvent),
        }
      : null,
  };
}

/** The input that would create an existing price again, to preview its amounts. */
export function toInputAgain(price: PriceData): PriceInput {
  const { model, nickname, details, recurring, packageSize, minQuantity, maxQuantity, taxBehavior } = price;
  return {
    model,
    nickname,
    details: { decimal: details.decimal, currency: details.currency },
    recurring: { frequency: recurring.frequency, period: recurring.period },
    packageSize,
    minQuantity,
    maxQuantity,
    taxBehavior,
    tiers:
      price.tiers.length > 0
        ? price.tiers.map(({ upTo, unitAmount, flatAmount }) => ({ upTo, unitAmount, flatAmount }))
        : null,
    ...(price.meterId !== null && repeatUsage(price)),
  };
}

/** The terms of usage of an existing price; rates have the amount of all other units among them. */
function repeatUsage(price: PriceData): Partial<PriceInput> {
  const { meterId, includedUnits, minimumSpend, maximumSpend, rates, percentage, details } = price;
  const spend = (amount: PriceData['minimumSpend']) =>
    amount && { decimal: amount.decimal, currency: amount.currency };
  return {
    meterId,
    includedUnits,
    minimumSpend: spend(minimumSpend),
    maximumSpend: spend(maximumSpend),
    ...(rates.length > 0 && {
      details: { decimal: '0', currency: details.currency },
      rates: rates.map(({ match, unitAmount }) => ({ match, unitAmount })),
    }),
    percentage: percentage && { ...percentage },
  };
}

/** With those of the table at most as many as `previewPrice` takes at once. */
const points = 90;

/** The quantities of the curve, evenly spaced: from the least to somewhat beyond the last tier or some packages. */
export function chooseQuantities({
  model,
  tiers,
  packageSize,
  minQuantity,
  maxQuantity,
}: PriceInput): number[] {
  const bounds = (tiers ?? []).map(({ upTo }) => Number(upTo ?? 0)).filter((bound) => bound > 0);
  const lastTier = bounds.length > 0 ? Math.max(...bounds) : 0;
  const natural = model === 'package' ? (packageSize ?? 1) * 5 : lastTier * 1.5 || 100;
  const low = Math.max(1, Math.floor(minQuantity ?? 1));
  const high = Math.min(Math.max(low + 9, Math.ceil(natural)), maxQuantity ?? 1_000_000_000);
  const step = Math.max(1, Math.ceil((high - low) / points));
  const count = Math.max(1, Math.floor((high - low) / step) + 1);
  const even = Array.from({ length: count }, (_, index) => low + index * step);
  return even.filter((each) => Number.isSafeInteger(each) && each <= 1_000_000_000);
}

/** The quantities of the table, within the bounds of the price. */
export const chooseExamples = ({ minQuantity, maxQuantity }: PriceInput): number[] =>
  [1, 10, 100, 1000].filter((each) => each >= (minQuantity ?? 1) && each <= (maxQuantity ?? each));

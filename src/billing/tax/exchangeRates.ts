/** The exchange rates of a tenant by day: those of the European Central Bank, and its own, which take precedence. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import {
  findPublicationDay,
  firstRateDay,
  largestRate,
  listRated,
  readRate,
  type DayRates,
  type EuroRates,
} from '../../lib/euroRates.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { addDays, isDay, toLocalDate } from '../../lib/time.ts';
import { checkAll, parseInput } from '../../lib/validation.ts';
import type { RateSource } from '../../storage/model/documents.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { currencyCode } from '../../tenants/settings.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type RatesRow = Row<'exchangeRates'>;

/** For how many days a rate holds where none was published since: over holidays the bank pauses for up to five. */
export const mostDaysOld = 7;

/** The rates that count on a day. */
export interface FoundRates {
  rates: EuroRates;
  /** The day for which they were published. */
  rateDay: string;
  /** `manual` if one of them is the tenant's own. */
  source: RateSource;
}

/** Returns the latest rates of these currencies that were published for a day, or up to seven days before; undefined if none were. */
export async function findRates(
  reads: Pick<Reads, 'many'>,
  currencies: string[],
  day: string,
): Promise<FoundRates | undefined> {
  const needed = listRated(...currencies);
  const rows = await reads.many('exchangeRates', {
    where: { day: { from: addDays(day, -mostDaysOld), to: day } },
    orderBy: ['day', 'source'],
    direction: 'desc',
  });
  return chooseRates(rows, needed);
}

/**
 * Returns the rates that were published for a day, or for the next day of publication (directive 2006/112/EC, article 369h);
 * undefined if they are not known. The tenant's own rates of these days count where none were published.
 */
export async function findPublishedRates(
  reads: Pick<Reads, 'many'>,
  currencies: string[],
  day: string,
): Promise<FoundRates | undefined> {
  const where = { day: { from: day, to: findPublicationDay(day) } };
  const rows = await reads.many('exchangeRates', { where, orderBy: ['day', 'source'], direction: 'desc' });
  return chooseRates(rows, listRated(...currencies), ['ecb', 'manual']);
}

/** Chooses the first of the days that has all the currencies; of two sources the first precedes. */
function chooseRates(
  rows: readonly RatesRow[],
  needed: string[],
  sources: readonly RateSource[] = ['manual', 'ecb'],
): FoundRates | undefined {
  for (const rateDay of new Set(rows.map(({ day }) => day))) {
    const find = (source: RateSource) =>
      rows.find((row) => row.day === rateDay && row.source === source)?.rates ?? {};
    const [first, second] = sources.map(find);
    const known = { ...second, ...first };
    if (!needed.every((currency) => Object.hasOwn(known, currency))) continue;
    const rates = Object.fromEntries(needed.map((currency) => [currency, known[currency]!]));
    const [own, published] = [find('manual'), find('ecb')];
    const isOwn = (currency: string) =>
      Object.hasOwn(own, currency) && (sources[0] === 'manual' || !Object.hasOwn(published, currency));
    return { rates, rateDay, source: needed.some(isOwn) ? 'manual' : 'ecb' };
  }
  return undefined;
}

/** Of a week, the rates of the bank and the tenant's own. */
const latestRows = 2 * (mostDaysOld + 1);

/** Returns the latest rates that bills of the present can need: up to the clock of a test tenant, or up to today. */
export const readLatestRates = (
  reads: Pick<Reads, 'many'>,
  { clockAt, timezone }: Pick<Row<'tenants'>, 'clockAt' | 'timezone'>,
): MaybePromise<RatesRow[]> =>
  reads.many('exchangeRates', {
    where: clockAt === null ? {} : { day: { to: toLocalDate(clockAt, timezone) } },
    orderBy: ['day', 'source'],
    direction: 'desc',
    limit: latestRows,
  });

/** Returns the rate of a currency that counts on a day, from the latest rates; undefined if none is known. */
export function findRate(rows: readonly RatesRow[], currency: string, day: string): string | undefined {
  const from = addDays(day, -mostDaysOld);
  const near = rows.filter((row) => row.day >= from && row.day <= day);
  return chooseRates(near, [currency])?.rates[currency];
}

const newRate = z.object({
  currency: currencyCode.refine((currency) => currency !== 'eur', 'must be another currency than the euro'),
  day: z.string(),
  rate: z.string().nullish(),
});

/**
 * Sets the tenant's own rate of a currency on a day, or removes it; a document whose tax was converted keeps its rate. Error:
 * `validation_failed`.
 */
export async function setExchangeRate(unit: UnitOfWork, input: unknown): Promise<RatesRow> {
  const { currency, day, rate: text = null } = parseInput(newRate, input);
  const [, rate] = checkAll(
    () => checkDay(day, toLocalDate(unit.now, unit.tenant.timezone)),
    () => (text === null ? null : parseRate(text)),
  );
  const known = await unit.one('exchangeRates', { day, source: 'manual' });
  const { [currency]: before = null, ...others } = known?.rates ?? {};
  const row = await keepRates(
    unit,
    { day, source: 'manual' },
    rate === null ? others : { ...others, [currency]: rate },
  );
  if (rate !== before)
    await unit.recordEvent('tenants', unit.tenant, 'exchange_rate_set', { currency, day, before, rate });
  return row;
}

function checkDay(day: string, today: string): void {
  if (!isDay(day) || day < firstRateDay)
    refuse('validation_failed', { path: 'day', message: `must be a date from ${firstRateDay} on` });
  if (day > today) refuse('validation_failed', { path: 'day', message: `must not be after today, ${today}` });
}

const parseRate = (text: string): string =>
  readRate(text) ??
  refuse('validation_failed', {
    path: 'rate',
    message: `must be above 0 and at most ${largestRate}, with at most 12 decimals`,
  });

/** Stores the rates of a day and source in place of those before; removes them if there are none. */
async function keepRates(
  unit: UnitOfWork,
  key: Pick<RatesRow, 'day' | 'source'>,
  rates: Record<string, string>,
): Promise<RatesRow> {
  const known = await unit.one('exchangeRates', key);
  const stamps = { createdAt: known?.createdAt ?? unit.now, updatedAt: unit.now };
  if (known) await unit.removeUntraced('exchangeRates', key);
  const row = { tenantAlias: unit.tenant.alias, ...key, rates, ...stamps };
  return Object.keys(rates).length === 0 ? row : unit.insertUntraced('exchangeRates', row);
}

/** Stores published rates; returns how many days are new or have other rates than before. */
export async function storePublished(unit: UnitOfWork, days: readonly DayRates[]): Promise<number> {
  let stored = 0;
  for (const { day, rates } of days) {
    const known = await unit.one('exchangeRates', { day, source: 'ecb' });
    if (known && isSame(known.rates, rates)) continue;
    await keepRates(unit, { day, source: 'ecb' }, rates);
    stored += 1;
  }
  return stored;
}

const isSame = (one: Record<string, string>, other: Record<string, string>) =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([currency, rate]) => other[currency] === rate);

/** Lists the rates of a number of days up to a day; newest first, the tenant's own before those of the bank. */
export const listRates = async (
  reads: Pick<Reads, 'many'>,
  { until, rows }: { until: string | null; rows: number },
): Promise<RatesRow[]> =>
  reads.many('exchangeRates', {
    where: until === null ? {} : { day: { to: until } },
    orderBy: ['day', 'source'],
    direction: 'desc',
    limit: rows,
  });

/**
 * Sales to private customers in other member states in other currencies than the euro, by day: what of them counts towards the
 * threshold follows from the exchange rate of the day, and from later ones as they become known.
 */
import { convertMinor } from '../../lib/euroRates.ts';
import { addDays } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findRates, mostDaysOld } from './exchangeRates.ts';
import { noteThreshold, thresholdCurrency } from './unionSales.ts';

type DayRow = Row<'unionSalesDays'>;
type Day = Pick<DayRow, 'day' | 'currency'>;

/** Counts an amount of a day, or takes it off if it is below 0. */
export async function countOnDay(unit: UnitOfWork, key: Day, netMinor: bigint): Promise<void> {
  const before = await unit.one('unionSalesDays', key);
  await keepDay(unit, before, { ...key, netMinor: (before?.netMinor ?? 0n) + netMinor });
}

/** Converts the sales of days again, after rates of these days were stored or removed. */
export async function reconvertDays(
  unit: UnitOfWork,
  { first, last }: { first: string; last: string },
): Promise<void> {
  if (unit.tenant.placeOfSupply === null) return;
  const where = { day: { from: first, to: addDays(last, mostDaysOld) } };
  for (const row of await unit.many('unionSalesDays', { where, orderBy: ['day', 'currency'] }))
    await keepDay(unit, row, row);
}

/** Stores the sum of a day with what it is in euros, and changes the sums of its year by the difference. */
async function keepDay(
  unit: UnitOfWork,
  before: DayRow | undefined,
  { day, currency, netMinor }: Day & Pick<DayRow, 'netMinor'>,
): Promise<void> {
  const euroMinor = await convertToEuro(unit, { day, currency, netMinor });
  if (before?.netMinor === netMinor && before.euroMinor === euroMinor) return;
  if (before) await unit.updateUntraced('unionSalesDays', { day, currency }, { netMinor, euroMinor });
  else await unit.insertUntraced('unionSalesDays', { day, currency, netMinor, euroMinor });
  const year = Number(day.slice(0, 4));
  const unconverted = pickUnconverted({ netMinor, euroMinor }) - (before ? pickUnconverted(before) : 0n);
  const converted = (euroMinor ?? 0n) - (before?.euroMinor ?? 0n);
  if (unconverted !== 0n)
    await unit.accumulate('unionSales', { year, currency, netMinor: unconverted }, ['netMinor']);
  if (converted === 0n) return;
  const sum = { year, currency: thresholdCurrency };
  await unit.accumulate('unionSales', { ...sum, netMinor: converted }, ['netMinor']);
  await noteThreshold(unit, sum);
}

const pickUnconverted = ({ netMinor, euroMinor }: Pick<DayRow, 'netMinor' | 'euroMinor'>): bigint =>
  euroMinor === null ? netMinor : 0n;

/** Returns what the sales of a day are in cents of a euro; null while no rate of the day is known. */
export async function convertToEuro(
  reads: Parameters<typeof findRates>[0],
  { day, currency, netMinor }: Day & Pick<DayRow, 'netMinor'>,
): Promise<bigint | null> {
  const found = await findRates(reads, [currency], day);
  return found ? convertMinor(netMinor, { from: currency, to: thresholdCurrency }, found.rates) : null;
}

/** Whether a rate is a member state's standard rate or a reduced one, as the return of the one-stop shop names it. */
import { standardRates, territories } from '../../../billing/tax/euRates.ts';
import { toLocalDate } from '../../../lib/time.ts';

export type RateType = 'standard' | 'reduced';

/** Returns the type of a rate in a period, in which the standard rate may have changed; null outside of the Union. */
export function findRateType(
  { country, percent }: { country: string | null; percent: string | null },
  { from, until, timeZone }: { from: string; until: string; timeZone: string },
): RateType | null {
  const rates = country === null ? undefined : standardRates[country];
  if (!rates || Number(percent) === 0) return null;
  const [first, last] = [toLocalDate(from, timeZone), toLocalDate(until, timeZone)];
  const ofTerritories = territories.filter((each) => each.country === country).map((each) => each.rates);
  const isStandard = [rates, ...ofTerritories].some((dated) =>
    dated.some(
      ({ effectiveFrom, percent: each }, nth) =>
        Number(each) === Number(percent) &&
        (effectiveFrom <= last || nth === 0) &&
        (dated[nth + 1]?.effectiveFrom ?? '9999') > first,
    ),
  );
  return isStandard ? 'standard' : 'reduced';
}

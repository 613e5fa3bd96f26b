/** Whether a rate is a member state's standard rate or a reduced one, as the return of the one-stop shop names it. */
import { territories } from '../../../billing/tax/euRates.ts';
import { listRates } from '../../../billing/tax/standardRates.ts';
import { isUnionCode } from '../../../billing/tax/vatPlaces.ts';
import { toLocalDate } from '../../../lib/time.ts';
import type { RenewedRates } from '../../../storage/model/renewedRates.ts';

export type RateType = 'standard' | 'reduced';

/** Returns the type of a rate in a period, in which the standard rate may have changed; null outside of the Union. */
export function findRateType(
  { country, percent }: { country: string | null; percent: string | null },
  { from, until, timeZone }: { from: string; until: string; timeZone: string },
  renewed: RenewedRates | null,
): RateType | null {
  if (country === null || !isUnionCode(country) || Number(percent) === 0) return null;
  const [first, last] = [toLocalDate(from, timeZone), toLocalDate(until, timeZone)];
  const places = [undefined, ...territories.filter((each) => each.country === country)];
  const isStandard = places
    .map((place) => listRates(country, place, renewed))
    .some((dated) =>
      dated.some(
        ({ effectiveFrom, percent: each }, nth) =>
          Number(each) === Number(percent) &&
          (effectiveFrom <= last || nth === 0) &&
          (dated[nth + 1]?.effectiveFrom ?? '9999') > first,
      ),
    );
  return isStandard ? 'standard' : 'reduced';
}

/**
 * The standard VAT rates that count for a tenant: those that are built in, and those of files that renewed them. Of the two
 * tables the one that was checked later precedes.
 */
import type { RenewedRate, RenewedRates } from '../../storage/model/renewedRates.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { refuse } from '../../lib/errors.ts';
import {
  builtInCheckedUntil,
  northernIreland,
  standardRates,
  territories,
  type DatedRate,
  type Territory,
} from './euRates.ts';
import { hasStandardRate, locate, northernIrelandCode, type VatPlace } from './vatPlaces.ts';

/** Rates are read with the tenant, so they are few. */
export const mostRenewed = 200;

type Renewed = RenewedRates | null;

/** Returns the standard rate of a place in the European Union on a date, in percent. */
export function findStandardRate({ country, territory }: VatPlace, date: string, renewed: Renewed): string {
  const rates = listRates(country, territory, renewed);
  return (rates.findLast(({ effectiveFrom }) => effectiveFrom <= date) ?? rates[0]!).percent;
}

/**
 * Lists the standard rates of a member state, or of one of its territories, oldest first; none for a territory outside the
 * scope of VAT. Renewed rates replace those that are built in from the first of them on.
 */
export function listRates(
  country: string,
  territory: Pick<Territory, 'name' | 'rates'> | undefined,
  renewed: Renewed,
): readonly DatedRate[] {
  const builtIn =
    territory?.rates ?? (country === northernIrelandCode ? northernIreland : standardRates[country]!);
  const own = isNewer(renewed)
    ? renewed.rates.filter((rate) => rate.country === country && rate.territory === (territory?.name ?? null))
    : [];
  if (own.length === 0) return builtIn;
  return [...builtIn.filter(({ effectiveFrom }) => effectiveFrom < own[0]!.effectiveFrom), ...own];
}

const isNewer = (renewed: Renewed): renewed is RenewedRates =>
  renewed !== null && renewed.checkedUntil >= builtInCheckedUntil;

/** Returns the date until which the rates that count were checked. */
export const findCheckedUntil = (renewed: Renewed): string =>
  isNewer(renewed) ? renewed.checkedUntil : builtInCheckedUntil;

/** Whether rates were last checked more than a year before a date. */
function isOutdated(checkedUntil: string, today: string): boolean {
  const [year, monthAndDay] = [checkedUntil.slice(0, 4), checkedUntil.slice(4)];
  return `${Number(year) + 1}${monthAndDay}` < today;
}

/** Whether a tenant is to be warned at an instant of the server's clock: it depends on the rates, and they are old. */
export function dependsOnOldRates(
  { seller, renewedRates }: Pick<Row<'tenants'>, 'seller' | 'renewedRates'>,
  at: string,
): boolean {
  if (!seller?.address || seller.taxExemption || !hasStandardRate(locate(seller.address))) return false;
  return isOutdated(findCheckedUntil(renewedRates), at.slice(0, 10));
}

/**
 * Stores the rates of a file: they replace what earlier files had for the same places. Bills follow them from their dates on;
 * documents stay as they are. Returns whether anything changed. Error: `validation_failed` for a file that was checked
 * earlier than the rates that count.
 */
export async function renewRates(unit: UnitOfWork, file: RenewedRates): Promise<boolean> {
  const { tenant } = unit;
  const known = findCheckedUntil(tenant.renewedRates);
  if (file.checkedUntil < known)
    refuse('validation_failed', {
      path: 'checkedUntil',
      message: `must not be before ${known}, until when the rates of ${tenant.alias} were checked`,
    });
  const renewedRates = mergeRates(tenant.renewedRates, file);
  if (JSON.stringify(renewedRates) === JSON.stringify(tenant.renewedRates)) return false;
  if (renewedRates.rates.length > mostRenewed)
    refuse('validation_failed', {
      path: 'rates',
      message: `must be at most ${mostRenewed} with those of earlier files`,
    });
  await unit.change('tenants', tenant, { renewedRates });
  return true;
}

function mergeRates(known: Renewed, file: RenewedRates): RenewedRates {
  const named = new Set(file.rates.map(namePlace));
  const kept = isNewer(known) ? known.rates.filter((rate) => !named.has(namePlace(rate))) : [];
  return { checkedUntil: file.checkedUntil, rates: [...kept, ...file.rates].toSorted(byPlace) };
}

/** Returns what rates of the same place have in common. */
export const namePlace = ({ country, territory }: RenewedRate): string => `${country} ${territory ?? ''}`;

const orderOf = (rate: RenewedRate) => `${namePlace(rate)} ${rate.effectiveFrom}`;

/** Sorts rates by place, oldest first. */
export const byPlace = (one: RenewedRate, other: RenewedRate): number =>
  orderOf(one) < orderOf(other) ? -1 : 1;

/** Stores the rates of the server's file for a tenant if they were checked later than those that count. Returns whether it did. */
export async function keepServerRates(tenant: TenantScope, file: RenewedRates | undefined): Promise<boolean> {
  if (!file || file.checkedUntil <= findCheckedUntil(tenant.record.renewedRates)) return false;
  return tenant.write((unit) => renewRates(unit, file));
}

/** A rate as it is listed. */
export interface ListedRate {
  country: string;
  territory: string | null;
  postalCodes: readonly string[];
  /** Null for a territory outside the scope of VAT, and so is the date. */
  percent: string | null;
  effectiveFrom: string | null;
}

/** A territory outside the scope of VAT has no rate. */
const outside: (DatedRate | undefined)[] = [undefined];

/** Lists the standard rates that count, by country, oldest first. */
export const listStandardRates = (renewed: Renewed): ListedRate[] =>
  Object.keys(standardRates).flatMap((country) => [
    ...listRates(country, undefined, renewed).map(({ percent, effectiveFrom }) => ({
      country,
      territory: null,
      postalCodes: [],
      percent,
      effectiveFrom,
    })),
    ...territories
      .filter((territory) => territory.country === country)
      .flatMap((territory) => {
        const rates = listRates(country, territory, renewed);
        return (rates.length > 0 ? rates : outside).map((rate) => ({
          country,
          territory: territory.name,
          postalCodes: territory.postcodes,
          percent: rate?.percent ?? null,
          effectiveFrom: rate?.effectiveFrom ?? null,
        }));
      }),
  ]);

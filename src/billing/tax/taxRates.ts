/** The tenant's own tax rates. */
import * as z from 'zod';
import { compareDecimals, formatDecimal, parseDecimal, wholeDecimal } from '../../lib/decimal.ts';
import { refuse } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import { checkAll, countryCode, parseInput } from '../../lib/validation.ts';
import type { TaxCategory } from '../../storage/model/common.ts';
import type { Reads } from '../../storage/store.ts';
import { printedName } from '../../tenants/parties.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { TaxRateRow } from './resolveRate.ts';
import { normalizePostcode, normalizeRegion } from './vatPlaces.ts';

export const mostDecimals = 4;
/** All rates of a country are read for each bill. */
const mostRates = 1000;

const place = z
  .string()
  .trim()
  .max(20, 'must be at most 20 characters')
  .regex(/^[A-Za-z0-9 -]*$/, 'may have letters, digits, spaces and hyphens')
  .nullish();

const newRate = z.object({
  country: countryCode,
  region: place,
  postalCode: place,
  taxCode: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,50}$/, 'must be 1 to 50 letters, digits and _.-')
    .nullish(),
  category: z.enum(['S', 'Z', 'E', 'AE', 'K', 'G', 'O']).nullish(),
  percent: z.string(),
  effectiveFrom: z.string().nullish(),
  name: printedName.nullish(),
});

const rateChanges = z.object({ name: printedName.nullable().optional() });

/** Checks the terms of a tax rate, which applies from `now` on by default. Error: `validation_failed`. */
export function parseTaxRate({ tenant, now }: Pick<UnitOfWork, 'tenant' | 'now'>, input: unknown) {
  const wanted = parseInput(newRate, input);
  const { country } = wanted;
  const category = wanted.category ?? 'S';
  const [percent, effectiveFrom] = checkAll(
    () => parsePercent(wanted.percent, category),
    () => parseInstant(wanted.effectiveFrom ?? now, tenant.timezone, 'effectiveFrom'),
  );
  return {
    name: wanted.name ?? null,
    country,
    region: wanted.region ? normalizeRegion(wanted.region, country) : null,
    postcode: wanted.postalCode ? normalizePostcode(wanted.postalCode, country) || null : null,
    taxCode: wanted.taxCode ?? null,
    category,
    percent,
    effectiveFrom,
  };
}

/** Creates a tax rate. It applies to bills from its date on, by default from now on. Error: `validation_failed`. */
export async function createTaxRate(unit: UnitOfWork, input: unknown): Promise<TaxRateRow> {
  const terms = parseTaxRate(unit, input);
  const { country } = terms;
  const known = await unit.many('taxRates', { where: { country }, limit: mostRates });
  if (known.length === mostRates)
    refuse('validation_failed', { path: 'country', message: `has ${mostRates} tax rates already` });
  return unit.create('taxRates', {
    id: unit.id('txr'),
    ...terms,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

/** Parses a percentage. EN 16931 allows only the standard category a rate above 0, and it must have one. */
function parsePercent(text: string, category: TaxCategory): string {
  const percent = parseDecimal(text);
  const isInRange =
    percent &&
    percent.digits >= 0n &&
    compareDecimals(percent, wholeDecimal(100)) <= 0 &&
    percent.scale <= mostDecimals;
  if (!isInRange) return refusePercent(`must be 0 to 100, with at most ${mostDecimals} decimals`);
  if (category === 'S' && percent.digits === 0n)
    return refusePercent('must be more than 0 in the category S; use Z, E or O');
  if (category !== 'S' && percent.digits > 0n) return refusePercent(`must be 0 in the category ${category}`);
  return formatDecimal(percent);
}

const refusePercent = (message: string): never =>
  refuse('validation_failed', { path: 'percent', message, code: 'not_a_percentage' });

/** Changes the name of a tax rate; its terms are fixed. Errors: `tax_rate_not_found`, `validation_failed`. */
export async function updateTaxRate(unit: UnitOfWork, id: string, input: unknown): Promise<TaxRateRow> {
  const changes = parseInput(rateChanges, input);
  return unit.change('taxRates', await findTaxRate(unit, id), changes);
}

/** Archives a tax rate: new bills do not use it. Repeating it changes nothing. Error: `tax_rate_not_found`. */
export async function archiveTaxRate(unit: UnitOfWork, id: string): Promise<TaxRateRow> {
  const rate = await findTaxRate(unit, id);
  if (rate.archivedAt !== null) return rate;
  return unit.change('taxRates', rate, { archivedAt: unit.now }, { action: 'archived' });
}

/** Returns the tax rate with this id, also an archived one. Error: `tax_rate_not_found`. */
export const findTaxRate = async (reads: Reads, id: string): Promise<TaxRateRow> =>
  (await reads.one('taxRates', { id })) ?? refuse('tax_rate_not_found');

/** Lists the tenant's tax rates; newest first by default. Errors: `validation_failed`, `cursor_invalid`. */
export function listTaxRates(
  tenant: TenantScope,
  filter: { country?: string | null },
  args: PageArgs,
): Promise<Page<TaxRateRow>> {
  const where = { country: filter.country?.toUpperCase() };
  return readPage(tenant, { name: 'taxRates', table: 'taxRates', where, by: ['createdAt', 'id'] }, args);
}

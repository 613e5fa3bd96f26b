/** What a new tenant is set up with: the currency of its forms, and the country of its seller. */
import * as z from 'zod';
import { countryCode, parseInput } from '../lib/validation.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { currencyCode, updateTenant } from './settings.ts';

const firstSettings = z.object({
  currency: currencyCode.nullish(),
  country: countryCode.nullish(),
});

/**
 * Checks the first settings of a tenant. With a country, `legalName` becomes the name of its seller. Returns what sets them, in
 * the unit that creates the tenant. Error: `validation_failed`.
 */
export function parseFirstSettings(
  input: unknown,
  legalName: string,
): (unit: UnitOfWork) => Promise<unknown> {
  const { currency, country } = parseInput(firstSettings, input);
  if (!currency && !country) return () => Promise.resolve();
  const seller = country ? { legalName, address: { country } } : null;
  return (unit) => updateTenant(unit, { seller, defaultCurrency: currency ?? null });
}

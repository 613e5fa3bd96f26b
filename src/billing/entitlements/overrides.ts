/** Values of features that customers are given by name: they take precedence over those of products, until their end. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import { isGiven, parseInput } from '../../lib/validation.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findCustomer } from '../customers/customers.ts';
import { findFeatureToAttach } from './features.ts';
import type { OverrideRow } from './grants.ts';
import { readTerms, termFields } from './terms.ts';

const newOverride = z.object({
  customerId: z.string(),
  feature: z.string(),
  endsAt: z.string().nullish(),
  ...termFields,
});

/**
 * Gives a customer a value of a feature, instead of the one before. Errors: `customer_not_found`, `feature_not_found`,
 * `feature_archived`, `validation_failed`.
 */
export async function overrideEntitlement(unit: UnitOfWork, input: unknown): Promise<OverrideRow> {
  const { customerId, feature: key, endsAt: end, ...given } = parseInput(newOverride, input);
  await findCustomer(unit, customerId);
  const terms = readTerms(await findFeatureToAttach(unit, key), given);
  const endsAt = isGiven(end) ? parseInstant(end, unit.tenant.timezone, 'endsAt') : null;
  if (endsAt !== null && endsAt <= unit.now)
    refuse('validation_failed', { path: 'endsAt', message: 'must be in the future' });
  const known = await unit.one('entitlementOverrides', { customerId, feature: key });
  if (known) return unit.change('entitlementOverrides', known, { terms, endsAt });
  return unit.create('entitlementOverrides', {
    id: unit.id('eov'),
    customerId,
    feature: key,
    terms,
    endsAt,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

/** Takes back the value that a customer was given. Error: `entitlement_override_not_found`. */
export const removeEntitlementOverride = async (unit: UnitOfWork, id: string): Promise<OverrideRow> =>
  unit.remove('entitlementOverrides', await findOverride(unit, id));

/** Returns the override with this id. Error: `entitlement_override_not_found`. */
export const findOverride = async (reads: Reads, id: string): Promise<OverrideRow> =>
  (await reads.one('entitlementOverrides', { id })) ?? refuse('entitlement_override_not_found');

/** Lists the overrides of a customer; newest first by default. Errors: `customer_not_found`, `cursor_invalid`. */
export async function listOverrides(
  tenant: TenantScope,
  customerId: string,
  args: PageArgs,
): Promise<Page<OverrideRow>> {
  await findCustomer(tenant.read, customerId);
  const list = {
    name: 'entitlementOverrides',
    table: 'entitlementOverrides',
    where: { customerId },
  } as const;
  return readPage(tenant, { ...list, by: ['createdAt', 'id'] }, args);
}

/** Removes what a customer was given, who is deleted or erased. */
export async function removeOverridesOf(unit: UnitOfWork, customerId: string): Promise<void> {
  for (const override of await unit.many('entitlementOverrides', { where: { customerId } }))
    await unit.remove('entitlementOverrides', override, { causedBy: customerId });
}

/** Erases and removes what a customer was given, and their reservations. */
export async function eraseEntitlements(unit: UnitOfWork, customerId: string): Promise<void> {
  for (const override of await unit.many('entitlementOverrides', { where: { customerId } }))
    await unit.rewrite('entitlementOverrides', override, { terms: { ...override.terms, value: null } });
  await removeOverridesOf(unit, customerId);
  await removeReservationsOf(unit, customerId);
}

/** Removes the reservations of a customer. */
export async function removeReservationsOf(unit: UnitOfWork, customerId: string): Promise<void> {
  if (unit.tenant.usageSince === null) return;
  await unit.lockUsage();
  await unit.usage.remove('reservations', { customerId });
}

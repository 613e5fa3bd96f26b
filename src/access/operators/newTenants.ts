/** Tenants that an owner of the server creates in the console, live ones too. */
import * as z from 'zod';
import { countryCode, parseInput, timeZone } from '../../lib/validation.ts';
import { refusePermission, requireStepUp, type SignedIn } from '../../tenancy/actor.ts';
import type { Membership, ServerScope } from '../../tenancy/serverScope.ts';
import { printedName } from '../../tenants/parties.ts';
import { currencyCode, updateTenant } from '../../tenants/settings.ts';
import { createOwnedTenant } from './memberships.ts';
import { findOperator } from './operators.ts';

const newTenant = z.object({
  alias: z.string(),
  name: printedName,
  isTest: z.boolean(),
  timeZone: timeZone.nullish(),
  currency: currencyCode.nullish(),
  country: countryCode.nullish(),
});

/** Whether the operator is an owner of the server: of each tenant that is created later. */
export const isServerOwner = ({ roleInNewTenants }: SignedIn['operator']): boolean =>
  roleInNewTenants === 'owner';

/**
 * Creates a tenant with the operator as its owner. A country makes the operator's business its seller. Errors:
 * `permission_missing` unless the operator owns all new tenants, `step_up_required`, `validation_failed`.
 */
export async function createTenantAsOwner(
  server: ServerScope,
  signedIn: SignedIn,
  input: unknown,
): Promise<Membership> {
  const { id } = signedIn.operator;
  if (!isServerOwner(await findOperator(server.read, id))) refusePermission('manage_operators');
  requireStepUp(signedIn, server.now());
  const { alias, isTest, timeZone: timezone, currency, country, ...named } = parseInput(newTenant, input);
  const seller = country ? { legalName: named.name, address: { country } } : null;
  const tenant = { alias, test: isTest, ...named, ...(timezone && { timezone }) };
  return createOwnedTenant(server, id, tenant, (unit) =>
    updateTenant(unit, { seller, defaultCurrency: currency ?? null }),
  );
}

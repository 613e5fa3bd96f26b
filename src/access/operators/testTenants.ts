/** Test tenants, which operators create and delete themselves. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { name, parseInput, timeZone } from '../../lib/validation.ts';
import type { SignedIn } from '../../tenancy/actor.ts';
import { permissionsByRole } from '../../tenancy/permissions.ts';
import type { Membership, ServerScope } from '../../tenancy/serverScope.ts';
import type { TenantRow } from '../../tenancy/tenants.ts';
import { createOwnedTenant } from './memberships.ts';

/** Each is a business with records of its own, and the server may have many operators. */
const mostTestTenants = 20;

const newTestTenant = z.object({
  alias: z.string(),
  name: name.nullish(),
  timeZone: timeZone.nullish(),
  clock: z.string().nullish(),
});

/** Creates a test tenant with the operator as its owner. Error: `validation_failed`. */
export async function createTestTenant(
  server: ServerScope,
  { operator }: SignedIn,
  input: unknown,
): Promise<Membership> {
  const { alias, name: wanted, timeZone: timezone, clock } = parseInput(newTestTenant, input);
  const known = await server.listMemberships(operator.id);
  if (known.filter(({ tenant }) => tenant.test).length >= mostTestTenants)
    refuse('validation_failed', {
      path: 'alias',
      message: `is one too many: you have ${mostTestTenants} test tenants`,
    });
  const fields = { ...(wanted && { name: wanted }), ...(timezone && { timezone }), ...(clock && { clock }) };
  return createOwnedTenant(server, operator.id, { alias, test: true, ...fields });
}

/**
 * Deletes a test tenant with all of its records, as its owner or administrator. Errors: `tenant_mismatch` if the operator
 * has no role in it, `permission_missing`, `validation_failed` for a live tenant, and for that of the request.
 */
export async function deleteTestTenant(
  server: ServerScope,
  { operator }: SignedIn,
  current: TenantRow,
  alias: string,
): Promise<Membership> {
  const found = (await server.findMembership(operator.id, alias)) ?? refuse('tenant_mismatch');
  const needed = 'manage_operators';
  if (!permissionsByRole[found.membership.role].includes(needed))
    refuse('permission_missing', { path: 'permission', message: needed });
  const fail = (message: string) => refuse('validation_failed', { path: 'id', message });
  if (!found.tenant.test) fail('is not a test tenant');
  if (alias === current.alias) fail('is the tenant of the request: choose another one first');
  await server.deleteTenant(alias);
  return found;
}

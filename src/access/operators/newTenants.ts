/** Tenants that an owner of the server creates in the console, live ones too. */
import * as z from 'zod';
import { checkAll, parseInput, timeZone } from '../../lib/validation.ts';
import { refusePermission, requireStepUp, type SignedIn } from '../../tenancy/actor.ts';
import type { Membership, ServerScope } from '../../tenancy/serverScope.ts';
import { parseFirstSettings } from '../../tenants/firstSettings.ts';
import { printedName } from '../../tenants/parties.ts';
import { createOwnedTenant } from './memberships.ts';
import { findOperator } from './operators.ts';

const newTenant = z.object({
  alias: z.string(),
  name: printedName,
  isTest: z.boolean(),
  timeZone: timeZone.nullish(),
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
  const [{ alias, name, isTest, timeZone: timezone }] = checkAll(
    () => parseInput(newTenant, input),
    () => parseFirstSettings(input, ''),
  );
  const begin = parseFirstSettings(input, name);
  return createOwnedTenant(server, id, { alias, test: isTest, name, ...(timezone && { timezone }) }, begin);
}

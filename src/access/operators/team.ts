/** The operators of a tenant, as one of them manages the others. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { parseInput } from '../../lib/validation.ts';
import type { SignedIn } from '../../tenancy/actor.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { ServerReads, ServerScope, ServerUnit } from '../../tenancy/serverScope.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { issueLink, type IssuedLink } from './links.ts';
import { addMembership, readGivenRole, type MembershipRow } from './memberships.ts';
import { ensureOperator, findOperatorByEmail, operatorEmail, operatorName } from './operators.ts';
import type { OperatorRow } from './sessions.ts';

/** An operator who was added to a tenant; the token of the link is sealed until it is shown. */
export interface Invited {
  membership: MembershipRow;
  sealedToken: string | null;
  expiresAt: string | null;
}

const invitation = z.object({ email: operatorEmail, name: operatorName.nullish(), role: z.string() });

/** Lists the operators of a tenant by when they were added. Errors: `validation_failed`, `cursor_invalid`. */
export const listTeam = (tenant: TenantScope, page: PageArgs): Promise<Page<MembershipRow>> =>
  readPage(
    tenant,
    { name: 'operators', table: 'operatorMemberships', where: {}, by: ['createdAt', 'id'] },
    page,
  );

/**
 * Adds a person to the tenant, as an operator with no lower role. A new operator gets a link, which the acting operator
 * passes on. An operator of the server gets none, because a link opens all tenants of its operator. Errors:
 * `validation_failed`, `role_too_high`, `operator_exists`, `operator_unconfirmed`.
 */
export async function inviteOperator(
  tenant: TenantScope,
  server: ServerScope,
  { operator: acting }: SignedIn,
  input: unknown,
): Promise<Invited> {
  const { role, ...person } = parseInput(invitation, input);
  await readGivenRole(tenant.read, acting.id, role);
  const known = await findOperatorByEmail(server.read, person.email);
  if (known && (await tenant.read.one('operatorMemberships', { id: known.id }))) refuse('operator_exists');
  if (known) await refuseUnconfirmed(server, known);
  const { operator, link } = await server.write((unit) => ensureInvited(unit, person));
  const sealedToken = link && tenant.seal(link.token);
  return tenant.write(async (unit) => {
    const given = await readGivenRole(unit, acting.id, role);
    const membership = await addMembership(unit, operator.id, given);
    return { membership, sealedToken, expiresAt: link && link.expiresAt };
  });
}

/** Returns the operator with the address, created if necessary, and a link unless the address is confirmed. */
async function ensureInvited(
  unit: ServerUnit,
  person: { email: string; name?: string | null },
): Promise<{ operator: OperatorRow; link: IssuedLink | null }> {
  const { operator, isNew } = await ensureOperator(unit, person);
  if (operator.confirmedAt !== null) return { operator, link: null };
  if (!isNew && (await hasCredentials(unit, operator))) refuse('operator_unconfirmed');
  return { operator, link: await issueLink(unit, operator.id, false) };
}

/**
 * Refuses an operator whom another tenant has invited and whose address nobody has confirmed: the account may be in the
 * hands of somebody else. Error: `operator_unconfirmed`.
 */
async function refuseUnconfirmed(server: ServerScope, operator: OperatorRow): Promise<void> {
  if (operator.confirmedAt !== null) return;
  const memberships = await server.listMemberships(operator.id);
  if (memberships.length > 0 || (await hasCredentials(server.read, operator))) refuse('operator_unconfirmed');
}

/** Whether somebody can, or could, sign in as the operator. */
async function hasCredentials(
  reads: ServerReads,
  { id: operatorId, passwordHash }: OperatorRow,
): Promise<boolean> {
  if (passwordHash !== null) return true;
  const one = { where: { operatorId }, limit: 1 };
  const [links, sessions, passkeys] = await Promise.all([
    reads.many('operatorLinks', one),
    reads.many('operatorSessions', one),
    reads.many('operatorPasskeys', one),
  ]);
  return links.length + sessions.length + passkeys.length > 0;
}

/** Operators as the administrator of the server manages them, from the command line. */
import { refuse } from '../../lib/errors.ts';
import type { OperatorRole } from '../../storage/model/operators.ts';
import { ServerScope, type ServerParts } from '../../tenancy/serverScope.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { Service } from '../../tenancy/service.ts';
import { listTenants, requireTenant, type TenantRow } from '../../tenancy/tenants.ts';
import { hasCredential } from './firstCredential.ts';
import { buildLinkUrl, issueLink } from './links.ts';
import { grantRole, refuseLastOwner } from './memberships.ts';
import {
  changeOperator,
  deleteOperator,
  ensureOperator,
  findOperatorByEmail,
  firstEmail,
} from './operators.ts';
import type { OperatorRow } from './sessions.ts';

/** An operator and the roles, as `operator list` shows them. */
interface ListedOperator {
  id: string;
  email: string;
  name: string | null;
  createdAt: string;
  roleInNewTenants: OperatorRole | null;
  memberships: { tenant: string; role: OperatorRole }[];
}

const openAsAdministrator = (service: Service, tenant: TenantRow): TenantScope =>
  openScheduledTenant(service, tenant, 'system:operator');

/**
 * Creates an operator unless there is one with the address, and gives a role in one tenant, or in all, also in those that
 * are created later. Error: `validation_failed` for an unknown tenant.
 */
export async function grantTenants(
  service: Service,
  input: { email: string; name?: string; role: OperatorRole; tenant?: string },
): Promise<{ id: string; isNew: boolean; tenants: string[] }> {
  const { tenant: alias, role } = input;
  if (alias !== undefined) await requireTenant(service, alias);
  const server = new ServerScope(service);
  const { operator, isNew } = await server.write(async (unit) => {
    const ensured = await ensureOperator(unit, input);
    if (alias === undefined) await changeOperator(unit, ensured.operator.id, { roleInNewTenants: role });
    return ensured;
  });
  // Read now: each tenant either is one of these, or is created with the role.
  const all = await listTenants(service);
  const tenants = all.filter((tenant) => alias === undefined || tenant.alias === alias);
  for (const tenant of tenants)
    await openAsAdministrator(service, tenant).write((unit) => grantRole(unit, operator.id, role));
  return { id: operator.id, isNew, tenants: tenants.map((tenant) => tenant.alias) };
}

/** Creates a link that signs an operator in once. Error: `operator_not_found`. */
export async function createLink(
  service: ServerParts,
  email: string,
  publicUrl: string,
): Promise<{ url: string; expiresAt: string }> {
  const { token, expiresAt } = await new ServerScope(service).write(async (unit) => {
    const operator = await findOperatorByEmail(unit, email);
    return issueLink(unit, (operator ?? refuse('operator_not_found')).id, true);
  });
  return { url: buildLinkUrl(publicUrl, token), expiresAt };
}

/** Returns all operators with their roles, oldest first. */
export async function listOperators(service: ServerParts): Promise<ListedOperator[]> {
  const server = new ServerScope(service);
  const operators = await server.read.many('operators', { where: {}, orderBy: ['createdAt', 'id'] });
  return Promise.all(operators.map((operator) => describeOperator(server, operator)));
}

async function describeOperator(
  server: ServerScope,
  { id, email, name, createdAt, roleInNewTenants }: OperatorRow,
): Promise<ListedOperator> {
  const found = await server.listMemberships(id);
  const memberships = found.map(({ membership }) => ({
    tenant: membership.tenantAlias,
    role: membership.role,
  }));
  return { id, email, name, createdAt, roleInNewTenants, memberships };
}

/**
 * Removes an operator from all tenants and from the server. `isForced`: even the last owner of a tenant. Returns the id,
 * which traces keep. Errors: `operator_not_found`, `last_owner`.
 */
export async function removeOperator(service: Service, email: string, isForced: boolean): Promise<string> {
  const server = new ServerScope(service);
  const { id } = (await findOperatorByEmail(server.read, email)) ?? refuse('operator_not_found');
  const memberships = await server.listMemberships(id);
  if (!isForced) {
    for (const { tenant, membership } of memberships)
      await refuseLastOwner(openAsAdministrator(service, tenant).read, membership);
  }
  for (const { tenant, membership } of memberships) {
    await openAsAdministrator(service, tenant).write(async (unit) => {
      if (!isForced) await refuseLastOwner(unit, membership);
      await unit.remove('operatorMemberships', membership);
    });
  }
  await server.write((unit) => deleteOperator(unit, id));
  return id;
}

/** Returns whether the server has operators. */
export async function hasOperators(service: ServerParts): Promise<boolean> {
  const [known] = await new ServerScope(service).read.many('operators', { where: {}, limit: 1 });
  return known !== undefined;
}

/**
 * Creates a link for the first operator, the owner of all tenants, also of later ones; on a server without operators creates that
 * operator. Returns undefined if another can sign in: one of another address, or the first one by a credential.
 */
export async function createFirstLink(service: Service, publicUrl: string): Promise<string | undefined> {
  const { read } = new ServerScope(service);
  const [first, second] = await read.many('operators', { where: {}, limit: 2 });
  if (!first) await grantTenants(service, { email: firstEmail, role: 'owner' });
  else if (second || first.email !== firstEmail || (await hasCredential(read, first.id))) return undefined;
  return (await createLink(service, firstEmail, publicUrl)).url;
}

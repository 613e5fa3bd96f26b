/** The operators of a tenant and their roles. Every change is traced. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { parseInput } from '../../lib/validation.ts';
import type { OperatorRole } from '../../storage/model/operators.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { nameOperatorExecutor } from '../../tenancy/actor.ts';
import { isHigherRole, roles } from '../../tenancy/permissions.ts';
import type { Membership, ServerScope } from '../../tenancy/serverScope.ts';
import type { NewTenant } from '../../tenancy/tenants.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type MembershipRow = Row<'operatorMemberships'>;

const operatorRole = z.enum(roles as [OperatorRole, ...OperatorRole[]]);

/** Returns an operator's membership in the tenant. Error: `operator_not_found`. */
const findMembership = async (reads: Reads, operatorId: string): Promise<MembershipRow> =>
  (await reads.one('operatorMemberships', { id: operatorId })) ?? refuse('operator_not_found');

/** Gives an operator a role in the tenant, or another role. For the administrator of the server. */
export async function grantRole(
  unit: UnitOfWork,
  operatorId: string,
  role: OperatorRole,
): Promise<MembershipRow> {
  const membership = await unit.one('operatorMemberships', { id: operatorId });
  if (!membership) return addMembership(unit, operatorId, role);
  if (role !== 'owner') await refuseLastOwner(unit, membership);
  return unit.change('operatorMemberships', membership, { role });
}

/** Adds an operator to the tenant. Error: `operator_exists`. */
export async function addMembership(
  unit: UnitOfWork,
  operatorId: string,
  role: OperatorRole,
): Promise<MembershipRow> {
  const values = { id: operatorId, role, createdAt: unit.now, updatedAt: unit.now };
  const added = await unit.createIfAbsent('operatorMemberships', values, ['tenantAlias', 'id']);
  return added ?? refuse('operator_exists');
}

/** Creates a tenant with the operator as its owner; `begin` sets it up in the same unit. Error: `validation_failed`. */
export async function createOwnedTenant(
  server: ServerScope,
  operatorId: string,
  tenant: NewTenant,
  begin?: (unit: UnitOfWork) => Promise<unknown>,
): Promise<Membership> {
  const { alias } = await server.createTenant(tenant, nameOperatorExecutor(operatorId), async (unit) => {
    await addMembership(unit, operatorId, 'owner');
    await begin?.(unit);
  });
  return (await server.findMembership(operatorId, alias)) ?? refuse('tenant_mismatch');
}

/** Reads a role that an operator may give. Errors: `validation_failed`, `role_too_high`. */
export async function readGivenRole(reads: Reads, actingId: string, role: unknown): Promise<OperatorRole> {
  const given = parseInput(z.object({ role: operatorRole }), { role }).role;
  const { role: own } = await findMembership(reads, actingId);
  if (isHigherRole(given, own)) refuse('role_too_high', { path: 'input.role', message: `is above ${own}` });
  return given;
}

/**
 * Changes the role of an operator, as another operator with no lower role. Errors: `operator_not_found`, `role_too_high`,
 * `last_owner`, `validation_failed`.
 */
export async function changeRole(
  unit: UnitOfWork,
  actingId: string,
  operatorId: string,
  given: OperatorRole,
): Promise<MembershipRow> {
  const role = await readGivenRole(unit, actingId, given);
  const membership = await findSubordinate(unit, actingId, operatorId);
  if (role !== 'owner') await refuseLastOwner(unit, membership);
  return unit.change('operatorMemberships', membership, { role });
}

/**
 * Removes an operator from the tenant, as another operator with no lower role. Errors: `operator_not_found`,
 * `role_too_high`, `last_owner`.
 */
export async function removeMembership(
  unit: UnitOfWork,
  actingId: string,
  operatorId: string,
): Promise<MembershipRow> {
  const membership = await findSubordinate(unit, actingId, operatorId);
  await refuseLastOwner(unit, membership);
  return unit.remove('operatorMemberships', membership);
}

/** Returns a membership whose role is not above that of the acting operator. */
async function findSubordinate(
  unit: UnitOfWork,
  actingId: string,
  operatorId: string,
): Promise<MembershipRow> {
  const acting = await findMembership(unit, actingId);
  const membership = await findMembership(unit, operatorId);
  if (isHigherRole(membership.role, acting.role))
    refuse('role_too_high', { path: 'id', message: `has the role ${membership.role}` });
  return membership;
}

/** Refuses a change that would leave the tenant without an owner. The units of a tenant run one after another. */
export async function refuseLastOwner(reads: Reads, { id, role }: MembershipRow): Promise<void> {
  if (role !== 'owner') return;
  const owners = await reads.many('operatorMemberships', { where: { role: 'owner' }, limit: 2 });
  if (owners.every((owner) => owner.id === id)) refuse('last_owner');
}

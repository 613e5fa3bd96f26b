import * as z from 'zod';
import { parseInput, metadata } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { refuse } from '../../lib/errors.ts';
import { printedName } from '../../tenants/parties.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type GroupRow = Row<'groups'>;

/** A product group in a request. */
export const newGroup = z.object({
  name: printedName,
  metadata: metadata.nullish().transform((map) => map ?? {}),
  prorateUpgrades: z
    .boolean()
    .nullish()
    .transform((prorateUpgrades) => prorateUpgrades ?? false),
});

const groupChanges = z.object({
  name: printedName.optional(),
  metadata: metadata
    .nullable()
    .transform((map) => map ?? {})
    .optional(),
  prorateUpgrades: z.boolean().optional(),
});

// SQLite rejects a LIKE pattern of more than 50,000 bytes; names have at most 200 characters.
const nameFilter = z.object({ name: z.string().max(200, 'must be at most 200 characters').nullish() });

/** Creates a product group. Errors: `validation_failed`. */
export const createGroup = (unit: UnitOfWork, input: unknown): Promise<GroupRow> =>
  addGroup(unit, parseInput(newGroup, input));

/** Creates a product group from values that are checked. */
export async function addGroup(unit: UnitOfWork, values: z.output<typeof newGroup>): Promise<GroupRow> {
  const stamps = { createdAt: unit.now, updatedAt: unit.now };
  return unit.create('groups', {
    id: unit.id('grp'),
    ...values,
    nameLower: values.name.toLowerCase(),
    ...stamps,
  });
}

/** Changes a product group. Errors: `group_not_found`, `validation_failed`. */
export async function updateGroup(unit: UnitOfWork, id: string, input: unknown): Promise<GroupRow> {
  const changes = parseInput(groupChanges, input);
  return unit.change('groups', await findGroup(unit, id), withNameLower(changes));
}

/** Adds the lower-case name to changes that include a name. */
const withNameLower = <Changes extends { name?: string }>(
  changes: Changes,
): Changes & { nameLower?: string } =>
  changes.name === undefined ? changes : { ...changes, nameLower: changes.name.toLowerCase() };

/**
 * Deletes a group, all its products (including deleted ones) and their prices. `cascade` runs after the group's trace
 * is recorded, so that traces of the changes it makes can refer to the group as their cause. Returns the deleted group.
 */
export async function removeGroup(
  unit: UnitOfWork,
  group: GroupRow,
  cascade: () => Promise<unknown>,
): Promise<GroupRow> {
  const removePrices = async (productId: string) => {
    for (const price of await unit.many('prices', { where: { productId }, orderBy: ['createdAt', 'id'] })) {
      await unit.remove('prices', price, { causedBy: productId });
    }
  };
  return unit.remove('groups', group, {}, async () => {
    await cascade();
    const where = { groupId: group.id };
    for (const product of await unit.many('products', { where, orderBy: ['createdAt', 'id'] })) {
      await unit.remove('products', product, { causedBy: group.id }, () => removePrices(product.id));
    }
  });
}

/** Returns the group with this id. Error: `group_not_found`. */
export async function findGroup(reads: Reads, id: string): Promise<GroupRow> {
  return (await reads.one('groups', { id })) ?? refuse('group_not_found');
}

/**
 * Lists the tenant's groups whose name contains the text; newest first by default. Errors: `validation_failed`,
 * `cursor_invalid`, `query_timeout`.
 */
export async function listGroups(
  tenant: TenantScope,
  filter: { name?: string | null },
  args: PageArgs,
): Promise<Page<GroupRow>> {
  const nameLower = buildNameFilter(filter.name);
  const scan = { where: {}, filter: { nameLower }, isScan: nameLower !== undefined };
  return readPage(tenant, { name: 'groups', table: 'groups', ...scan, by: ['createdAt', 'id'] }, args);
}

/**
 * Returns the condition that a name contains the text; undefined without a text. Error: `validation_failed` for a text
 * longer than any name.
 */
export function buildNameFilter(text: string | undefined | null): { contains: string } | undefined {
  const { name: contains } = parseInput(nameFilter, { name: text });
  return typeof contains === 'string' ? { contains } : undefined;
}

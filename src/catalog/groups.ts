import * as z from 'zod';
import { parseInput, metadata, name } from '../lib/validation.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import { refuse } from '../lib/errors.ts';
import { readPage, type Page, type PageArgs } from '../tenancy/pagination.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

export type GroupRow = Row<'groups'>;

const newGroup = z.object({
  name,
  metadata: metadata.nullish().transform((map) => map ?? {}),
  prorateUpgrades: z
    .boolean()
    .nullish()
    .transform((prorateUpgrades) => prorateUpgrades ?? false),
});

const groupChanges = z.object({
  name: name.optional(),
  metadata: metadata
    .nullable()
    .transform((map) => map ?? {})
    .optional(),
  prorateUpgrades: z.boolean().optional(),
});

// SQLite refuses a pattern of more than 50,000 bytes; no name is longer than this.
const nameFilter = z.object({ name: z.string().max(200, 'must be at most 200 characters').nullish() });

/** Creates a product group. Errors: `validation_failed`. */
export async function createGroup(unit: UnitOfWork, input: unknown): Promise<GroupRow> {
  const values = parseInput(newGroup, input);
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

/** Changes of a row; where its name changes, so does the name in lower case. */
export const withNameLower = <Changes extends { name?: string }>(
  changes: Changes,
): Changes & { nameLower?: string } =>
  changes.name === undefined ? changes : { ...changes, nameLower: changes.name.toLowerCase() };

/**
 * Removes a group with all its products, deleted ones too, and their prices. `meanwhile` runs once the removal
 * of the group is told, so that what it changes because of the group's id is traced to that. Answers the group
 * that was.
 */
export async function removeGroup(
  unit: UnitOfWork,
  group: GroupRow,
  meanwhile: () => Promise<unknown>,
): Promise<GroupRow> {
  const removePrices = async (productId: string) => {
    for (const price of await unit.many('prices', { where: { productId }, orderBy: ['createdAt', 'id'] })) {
      await unit.remove('prices', price, { causedBy: productId });
    }
  };
  return unit.remove('groups', group, {}, async () => {
    await meanwhile();
    const where = { groupId: group.id };
    for (const product of await unit.many('products', { where, orderBy: ['createdAt', 'id'] })) {
      await unit.remove('products', product, { causedBy: group.id }, () => removePrices(product.id));
    }
  });
}

/** The group of that id; `group_not_found` otherwise. */
export async function findGroup(reads: Reads, id: string): Promise<GroupRow> {
  return (await reads.one('groups', { id })) ?? refuse('group_not_found');
}

/**
 * The tenant's groups whose name contains the text, newest first unless ordered otherwise.
 * Errors: `validation_failed`, `cursor_invalid`, `query_timeout`.
 */
export async function listGroups(
  tenant: TenantScope,
  filter: { name?: string | null },
  args: PageArgs,
): Promise<Page<GroupRow>> {
  const nameLower = nameContaining(filter.name);
  const scan = { where: {}, filter: { nameLower }, isScan: nameLower !== undefined };
  return readPage(tenant, { name: 'groups', table: 'groups', ...scan, by: ['createdAt', 'id'] }, args);
}

/** The condition that a name contains the text, if one is given; `validation_failed` where no name is that long. */
export function nameContaining(text: string | undefined | null): { contains: string } | undefined {
  const { name: contains } = parseInput(nameFilter, { name: text });
  return typeof contains === 'string' ? { contains } : undefined;
}

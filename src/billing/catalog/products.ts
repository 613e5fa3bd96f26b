import * as z from 'zod';
import { parseInput, checkAll, metadata, longText } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { refuse } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import { printedName } from '../../tenants/parties.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { addGroup, buildNameFilter, newGroup } from './groups.ts';
import { lookupKeyInput, refuseTakenKey } from './lookupKeys.ts';
import { addPrices, parsePrices, type PriceRow } from './prices.ts';

export type ProductRow = Row<'products'>;

export type ProductOrder = 'created_at' | 'sort_order';

export interface ProductFilter {
  groupId?: string | null;
  active?: boolean | null;
  lookupKey?: string | null;
  /** A part of the name, case-insensitive. */
  name?: string | null;
  orderBy?: ProductOrder | null;
  /** Leaves out the products that have expired at an instant. */
  onSaleAt?: string;
}

const taxCode = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,50}$/, 'must be 1 to 50 letters, digits and _.-')
  .nullable();

/** What is sold, by which the place of a sale is found. */
export const productKind = z.enum(['electronic_service', 'service', 'service_on_site', 'goods']);

const mostFeatures = 20;
const largestSortOrder = 1_000_000;

/** What pricing pages show of a product besides its name; null where it is not set. */
const pageFacts = {
  features: z
    .array(printedName)
    .max(mostFeatures, `must be at most ${mostFeatures}`)
    .nullable()
    .transform((features) => (features && features.length > 0 ? features : null))
    .optional(),
  highlighted: z
    .boolean()
    .nullable()
    .transform((isHighlighted) => isHighlighted || null)
    .optional(),
  sortOrder: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be 0 or more')
    .max(largestSortOrder, `must be at most ${largestSortOrder}`)
    .nullable()
    .optional(),
};

const newProduct = z.object({
  groupId: z
    .string()
    .nullish()
    .transform((groupId) => groupId ?? null),
  newGroup: newGroup.nullish(),
  name: printedName,
  description: longText,
  active: z
    .boolean()
    .nullish()
    .transform((active) => active ?? true),
  metadata: metadata.nullish().transform((map) => map ?? {}),
  expiresAt: z.string().nullish(),
  taxCode: taxCode.optional(),
  kind: productKind.nullable().optional(),
  lookupKey: lookupKeyInput,
  ...pageFacts,
});

const productChanges = z.object({
  groupId: z.string().nullable().optional(),
  name: printedName.optional(),
  description: longText.optional(),
  active: z.boolean().optional(),
  metadata: metadata
    .nullable()
    .transform((map) => map ?? {})
    .optional(),
  expiresAt: z.string().nullable().optional(),
  taxCode: taxCode.optional(),
  kind: productKind.nullable().optional(),
  lookupKey: lookupKeyInput,
  ...pageFacts,
});

/**
 * Creates a product and its prices, and a group for it if wanted, all or nothing. Errors: `validation_failed`, `amount_precision`,
 * `currency_unsupported`, `group_not_found`, `lookup_key_exists`.
 */
export async function createProduct(unit: UnitOfWork, input: unknown): Promise<ProductRow> {
  const { timezone } = unit.tenant;
  const [{ newGroup: ownGroup, ...values }, pricings] = checkAll(
    () => parseProduct(newProduct, input, timezone),
    () => parsePrices(input, timezone, true),
  );
  if (ownGroup && values.groupId !== null)
    refuse('validation_failed', { path: 'newGroup', message: 'excludes groupId' });
  if (values.groupId !== null) await requireGroup(unit, values.groupId);
  await refuseTakenKey(unit, 'products', values.lookupKey);
  const groupId = ownGroup ? (await addGroup(unit, ownGroup)).id : values.groupId;
  const product = await unit.create('products', {
    id: unit.id('prod'),
    ...values,
    groupId,
    ...buildOrderColumns({ name: values.name, sortOrder: values.sortOrder ?? null }),
    expiresAt: values.expiresAt,
    createdAt: unit.now,
    updatedAt: unit.now,
    taxCode: values.taxCode,
  });
  await noteKind(unit, product);
  await addPrices(unit, product.id, pricings);
  return product;
}

/**
 * Changes a product. Calls `followMove` if the product moved to another group or to none, to update dependent records.
 * Errors: `product_not_found`, `group_not_found`, `lookup_key_exists`, `validation_failed`.
 */
export async function changeProduct(
  unit: UnitOfWork,
  id: string,
  input: unknown,
  followMove: (moved: ProductRow, from: string | null) => Promise<void>,
): Promise<ProductRow> {
  const changes = parseProduct(productChanges, input, unit.tenant.timezone);
  const product = await findProduct(unit, id);
  if (changes.groupId !== undefined && changes.groupId !== null) await requireGroup(unit, changes.groupId);
  await refuseTakenKey(unit, 'products', changes.lookupKey, { ownId: id });
  const changed = await unit.change('products', product, withOrderColumns(product, changes));
  await noteKind(unit, changed);
  if (changed.groupId !== product.groupId) await followMove(changed, product.groupId);
  return changed;
}

/** Lets bills look up products from the first one on that has a kind. */
async function noteKind(unit: UnitOfWork, product: Pick<ProductRow, 'kind'>): Promise<void> {
  if (product.kind !== null && unit.tenant.productKindsSince === null)
    await unit.change('tenants', unit.tenant, { productKindsSince: unit.now });
}

/**
 * Marks a product as deleted; afterwards only its group lists it. Its lookup key and those of its prices can be given again.
 * Error: `product_not_found`.
 */
export async function markProductDeleted(unit: UnitOfWork, id: string): Promise<ProductRow> {
  const product = await findProduct(unit, id);
  const changes = { deletedAt: unit.now, lookupKey: null };
  const deleted = await unit.change('products', product, changes, { action: 'deleted' });
  const prices = await unit.many('prices', { where: { productId: id, lookupKey: { isSet: true } } });
  for (const price of prices) await unit.change('prices', price, { lookupKey: null }, { causedBy: id });
  return deleted;
}

/**
 * Adds prices to a product, all or nothing. Errors: `product_not_found`, `validation_failed`, `amount_precision`,
 * `currency_unsupported`.
 */
export async function createPrices(
  unit: UnitOfWork,
  productId: string,
  prices: unknown,
): Promise<PriceRow[]> {
  const pricings = parsePrices({ prices }, unit.tenant.timezone, false);
  const product = await findProduct(unit, productId);
  return addPrices(unit, product.id, pricings);
}

/** Returns the product with this id. Error: `product_not_found`, also if it is deleted. */
export async function findProduct(reads: Reads, id: string): Promise<ProductRow> {
  return (await reads.one('products', { id, deletedAt: null })) ?? refuse('product_not_found');
}

/** Returns a product that customers can subscribe to at an instant. Error: `product_not_found`, also for all others. */
export async function findProductOnSale(reads: Reads, id: string, at: string): Promise<ProductRow> {
  const product = await findProduct(reads, id);
  return findSaleObstacle(product, at) === undefined ? product : refuse('product_not_found');
}

/** Returns why customers cannot subscribe to a product at an instant; undefined if they can. */
export function findSaleObstacle(
  { active, expiresAt, deletedAt }: Pick<ProductRow, 'active' | 'expiresAt' | 'deletedAt'>,
  at: string,
): string | undefined {
  if (deletedAt !== null) return 'is deleted';
  if (expiresAt !== null && expiresAt <= at) return 'has expired';
  return active ? undefined : 'is not active';
}

const digitsOfPlace = String(largestSortOrder).length;
const afterAllPlaces = '9'.repeat(digitsOfPlace);

/**
 * Returns the columns by which lists of products are searched and ordered. A place is the digits of `sortOrder`, then the bytes
 * of the name in lower case as hexadecimal digits: its order is theirs on both databases, and cursors can contain it.
 */
export function buildOrderColumns({ name, sortOrder }: Pick<ProductRow, 'name' | 'sortOrder'>) {
  const nameLower = name.toLowerCase();
  const digits = sortOrder === null ? afterAllPlaces : String(sortOrder).padStart(digitsOfPlace, '0');
  return { nameLower, catalogPlace: digits + Buffer.from(nameLower).toString('hex').toUpperCase() };
}

/** Adds these columns to changes that include the name or the place. */
const withOrderColumns = <Changes extends Partial<ProductRow>>(product: ProductRow, changes: Changes) => {
  const { name = product.name, sortOrder = product.sortOrder } = changes;
  const isMoved = changes.name !== undefined || changes.sortOrder !== undefined;
  return isMoved ? { ...changes, ...buildOrderColumns({ name, sortOrder }) } : changes;
};

/** Compares the places of two products: those without one come last. */
export const comparePlaces = (a: Pick<ProductRow, 'sortOrder'>, b: Pick<ProductRow, 'sortOrder'>): number =>
  (a.sortOrder ?? largestSortOrder + 1) - (b.sortOrder ?? largestSortOrder + 1);

/**
 * Lists the tenant's products that match the filter; newest first by default, or by their place, the lowest first. Errors:
 * `validation_failed`, `cursor_invalid`, `query_timeout`.
 */
export async function listProducts(
  tenant: TenantScope,
  filter: ProductFilter,
  args: PageArgs,
  leaveOut?: readonly (keyof ProductRow)[],
): Promise<Page<ProductRow>> {
  const groupId = filter.groupId ?? undefined;
  const lookupKey = filter.lookupKey ?? undefined;
  const active = filter.active ?? undefined;
  const nameLower = buildNameFilter(filter.name);
  // An index covers one of the lookup key, the group and the active flag; the other conditions filter the rows it returns.
  const isKeyed = lookupKey !== undefined;
  const isInGroup = groupId !== undefined;
  const where = isKeyed ? { lookupKey } : { deletedAt: null, ...(isInGroup ? { groupId } : { active }) };
  const expiresAt = filter.onSaleAt === undefined ? undefined : { unlessUpTo: filter.onSaleAt };
  const others = {
    nameLower,
    groupId: isKeyed ? groupId : undefined,
    active: isKeyed || isInGroup ? active : undefined,
    expiresAt,
  };
  // Few products have expired.
  const isScan = !isKeyed && (nameLower !== undefined || others.active !== undefined);
  const isByPlace = filter.orderBy === 'sort_order';
  const request = { groupId, lookupKey, active, nameLower, isOnSale: expiresAt !== undefined };
  return readPage(
    tenant,
    {
      name: isByPlace ? 'productsByPlace' : 'products',
      table: 'products',
      where,
      filter: others,
      request,
      isScan,
      leaveOut: isByPlace ? leaveOut?.filter((column) => column !== 'catalogPlace') : leaveOut,
      by: isByPlace ? ['catalogPlace', 'id'] : ['createdAt', 'id'],
    },
    isByPlace ? { ...args, order: args.order ?? 'asc' } : args,
  );
}

/** Lists all products of a group, also deleted ones. Errors: `validation_failed`, `cursor_invalid`. */
export const listGroupProducts = (
  tenant: TenantScope,
  groupId: string,
  args: PageArgs,
): Promise<Page<ProductRow>> =>
  readPage(
    tenant,
    { name: 'groupProducts', table: 'products', where: { groupId }, by: ['createdAt', 'id'] },
    args,
  );

/** Checks the fields of a new product, without its group and its prices. Error: `validation_failed`. */
export const parseNewProduct = (input: unknown, timeZone: string) =>
  parseProduct(newProduct.omit({ groupId: true, newGroup: true }), input, timeZone);

/** Validates the fields of a product and converts `expiresAt` from the tenant's time zone to UTC. */
function parseProduct<Values extends { expiresAt?: string | null }>(
  schema: z.ZodType<Values>,
  input: unknown,
  timeZone: string,
): Values {
  const values = parseInput(schema, input);
  const { expiresAt } = values;
  if (expiresAt === undefined || expiresAt === null) return values;
  return { ...values, expiresAt: parseInstant(expiresAt, timeZone, 'expiresAt') };
}

async function requireGroup(unit: UnitOfWork, groupId: string): Promise<void> {
  if (await unit.one('groups', { id: groupId })) return;
  refuse('group_not_found', { path: 'groupId', message: 'is not the id of a group' });
}

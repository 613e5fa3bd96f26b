/** Products of a file, with their prices and what they have of features. */
import { parseNewProduct, createProduct } from '../billing/catalog/products.ts';
import { attachFeature, detachFeature } from '../billing/entitlements/productEntitlements.ts';
import { readTerms } from '../billing/entitlements/terms.ts';
import { updateProduct } from '../billing/subscriptions/productChanges.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import {
  addStep,
  checkAt,
  compareFields,
  differs,
  findKeyed,
  isPending,
  performAt,
  refuseReference,
  referTo,
  type Planning,
} from './planning.ts';
import { planPrices, type Owner } from './prices.ts';
import type { CatalogFile, EntitlementEntry, ProductEntry } from './schema.ts';
import { findGroup, refuseUnknownFeature } from './usageParts.ts';

type ProductRow = Row<'products'>;

/** Plans the products of a file with their prices and entitlements. Errors: `validation_failed`, `feature_not_found`. */
export function planProducts(planning: Planning, entries: CatalogFile['products']): void {
  if (!entries) return;
  const { state, names } = planning;
  const owners = entries.map((entry, n) => planProduct(planning, entry, `products.${n}`));
  for (const owner of owners) {
    planPrices(planning, owner);
    planEntitlements(planning, owner);
  }
  const kept = new Set(owners.map(({ row }) => row?.id));
  for (const { id, lookupKey, active } of state.products) {
    if (lookupKey === null || kept.has(id) || !active) continue;
    addStep(planning, {
      action: 'retire',
      resource: 'product',
      key: lookupKey,
      path: null,
      id,
      changes: { active: [true, false] },
      seenBy: { productId: id },
      run: (unit) => updateProduct(unit, id, { active: false }),
    });
    names.products.set(lookupKey, id);
  }
}

/** Names the products of the tenant, so that sections refer to them; those of the file follow. */
export function nameProducts({ state, names }: Planning): void {
  for (const { lookupKey, id } of state.products) if (lookupKey !== null) names.products.set(lookupKey, id);
}

/** Returns the id of a product, which may have to be created. Error: `product_not_found`. */
export function findProductId({ state, names }: Planning, reference: string, path: string): string {
  const known = names.products.get(reference);
  if (known !== undefined) return known;
  if (state.products.some(({ id }) => id === reference)) return reference;
  return refuseReference(path, 'is not the lookup key of a product of the file or the tenant');
}

/** The fields of a product that a file has. */
interface Written extends Pick<ProductRow, 'name' | 'description' | 'active' | 'metadata'> {
  expiresAt?: string | null | undefined;
  taxCode?: string | null | undefined;
  kind?: ProductRow['kind'] | undefined;
  features?: string[] | null | undefined;
  highlighted?: boolean | null | undefined;
  sortOrder?: number | null | undefined;
}

/** Writes a product as fields of a file; those that are the default are left out. */
export function writeProduct(product: Written, group: string | null): Record<string, unknown> {
  const { name, description, active, metadata, expiresAt, taxCode, kind, features, highlighted, sortOrder } =
    product;
  const fields = {
    name,
    description: description === '' ? null : description,
    active: active ? null : false,
    group,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    expiresAt,
    taxCode,
    kind,
    features,
    highlighted,
    sortOrder,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

function planProduct(planning: Planning, entry: ProductEntry, path: string): Owner {
  const { state, names } = planning;
  const { id: _, group = null, prices: __, entitlements: ___, ...fields } = entry;
  const input = { description: '', ...fields };
  const wanted = checkAt(path, () => parseNewProduct(input, state.tenant.timezone));
  const row = findKeyed(planning.state.products, entry, path, 'product');
  const groupId = group === null ? null : findGroup(planning, group, `${path}.group`);
  const lookupKey = entry.lookupKey ?? row?.lookupKey ?? null;
  if (lookupKey !== null) names.products.set(lookupKey, row?.id ?? referTo(names.products, lookupKey));
  // The file may name a group by its id.
  const nameGroup = (id: string | null) =>
    id === groupId ? group : (state.groups.find((each) => each.id === id)?.name ?? null);
  const before = row ? { ...writeProduct(row, nameGroup(row.groupId)), lookupKey: row.lookupKey } : {};
  const changes = compareFields(before, { ...writeProduct(wanted, group), lookupKey });
  // Two groups may have the same name.
  if (row && row.groupId !== groupId) changes['group'] ??= [row.groupId, groupId];
  if (!row || differs(changes))
    planProductStep(planning, { entry, path, row, changes, lookupKey, groupId, input });
  return {
    entry,
    path,
    row,
    findId: (known) => row?.id ?? known.products.get(lookupKey!)!,
  };
}

interface ProductStep {
  entry: ProductEntry;
  path: string;
  row: ProductRow | undefined;
  changes: Record<string, [unknown, unknown]>;
  lookupKey: string | null;
  groupId: string | null;
  input: Record<string, unknown>;
}

function planProductStep(
  planning: Planning,
  { entry, path, row, changes, lookupKey, groupId, input }: ProductStep,
): void {
  addStep(planning, {
    action: row ? 'update' : 'create',
    resource: 'product',
    key: lookupKey ?? row!.id,
    path,
    id: row?.id ?? null,
    changes,
    ...(row && { seenBy: { productId: row.id } }),
    run: (unit, names) =>
      performAt(path, async () => {
        const group = groupId !== null && isPending(groupId) ? names.groups.get(entry.group!)! : groupId;
        if (!row) {
          const made = await createProduct(unit, { ...input, lookupKey, groupId: group, prices: [] });
          return names.products.set(lookupKey!, made.id);
        }
        const defaults = {
          active: true,
          metadata: null,
          expiresAt: null,
          taxCode: null,
          kind: null,
          features: null,
          highlighted: null,
          sortOrder: null,
        };
        return updateProduct(unit, row.id, { ...defaults, ...input, lookupKey, groupId: group });
      }),
  });
}

type FeatureTerms = Pick<Row<'features'>, 'kind' | 'archivedAt'>;

/** The features that a file may refer to: its own, or without the section those of the tenant. */
function findFeature({ state, file }: Planning, key: string): FeatureTerms | undefined {
  const present = state.features.find((each) => each.key === key);
  const entry = file.features?.find((each) => each.key === key);
  if (!file.features || (!entry && present?.archivedAt)) return present;
  return (
    entry && { kind: entry.kind, archivedAt: entry.archived ? (present?.archivedAt ?? state.now) : null }
  );
}

function planEntitlements(planning: Planning, owner: Owner): void {
  const { entry, path, row } = owner;
  if (!entry.entitlements) return;
  const present = planning.state.entitlements.filter(
    ({ productId, terms }) => productId === row?.id && terms !== null,
  );
  for (const [n, own] of entry.entitlements.entries())
    planEntitlement(
      planning,
      owner,
      own,
      present.find(({ feature }) => feature === own.feature),
      `${path}.entitlements.${n}`,
    );
  const kept = new Set(entry.entitlements.map(({ feature }) => feature));
  for (const { id, productId, feature, terms } of present)
    if (!kept.has(feature))
      addStep(planning, {
        action: 'retire',
        resource: 'entitlement',
        key: `${nameOwner(owner)} ${feature}`,
        path: null,
        id,
        changes: compareFields(terms!, {}),
        seenBy: { productId },
        run: (unit) => detachFeature(unit, { productId, feature, reach: 'next_period' }),
      });
}

const nameOwner = ({ entry, row }: Owner) => entry.lookupKey ?? row?.lookupKey ?? row!.id;

function planEntitlement(
  planning: Planning,
  owner: Owner,
  entry: EntitlementEntry,
  present: Row<'productEntitlements'> | undefined,
  path: string,
): void {
  const { feature: key, ...given } = entry;
  const feature = findFeature(planning, key) ?? refuseUnknownFeature(`${path}.feature`);
  const input = {
    ...given,
    ...(typeof given.overageLimit === 'number' && { overageLimit: String(given.overageLimit) }),
  };
  const terms = checkAt(path, () => readTerms(feature, input as Parameters<typeof readTerms>[1]));
  const changes = compareFields(present?.terms ?? {}, terms);
  // A limit without end is null, which the comparison takes for absent.
  if (present ? !differs(changes) : false) return;
  if (feature.archivedAt !== null) refuseReference(`${path}.feature`, 'is the key of an archived feature');
  addStep(planning, {
    action: present ? 'update' : 'create',
    resource: 'entitlement',
    key: `${nameOwner(owner)} ${key}`,
    path,
    id: present?.id ?? null,
    changes,
    ...(owner.row && { seenBy: { productId: owner.row.id } }),
    run: (unit, names) =>
      performAt(path, () => attachFeature(unit, { productId: owner.findId(names), feature: key, ...input })),
  });
}

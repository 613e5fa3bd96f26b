/** The features of products. A change reaches subscribers at once, or each at their next period. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { parseInput } from '../../lib/validation.ts';
import type {
  EntitlementReach,
  EntitlementTerms,
  EntitlementVersion,
} from '../../storage/model/entitlements.ts';
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findProduct } from '../catalog/products.ts';
import { findFeatureByKey, findFeatureToAttach } from './features.ts';
import type { FeatureRow, ProductEntitlementRow } from './grants.ts';
import { productTermFields, readTerms } from './terms.ts';

const mostEntitlements = 100;

const reach = z
  .enum(['now', 'next_period'])
  .nullish()
  .transform((given) => given ?? 'now');
const attachment = z.object({ productId: z.string(), feature: z.string(), reach, ...productTermFields });
const detachment = z.object({ productId: z.string(), feature: z.string(), reach });

/** A change of what a product has of a feature, before it is made. */
export interface PlannedChange {
  feature: FeatureRow;
  productId: string;
  reach: EntitlementReach;
  before: ProductEntitlementRow | undefined;
  /** Undefined if nobody keeps it. Its id is empty if it is new. */
  after: ProductEntitlementRow | undefined;
}

/** What a change is planned by: a unit of work, or a tenant for a preview. */
export interface Planning {
  read: Reads;
  now: string;
}

/**
 * Attaches a feature to a product, or changes what the product has of it. Errors: `product_not_found`, `feature_not_found`,
 * `feature_archived`, `validation_failed`.
 */
export async function attachFeature(unit: UnitOfWork, input: unknown): Promise<ProductEntitlementRow> {
  const { before, after, productId } = await planAttachment({ read: unit, now: unit.now }, input);
  if (before) return unit.change('productEntitlements', before, pickVersions(after!));
  const all = await unit.many('productEntitlements', { where: { productId }, limit: mostEntitlements });
  if (all.length === mostEntitlements)
    refuse('validation_failed', {
      path: 'feature',
      message: `must not be more: the product has ${mostEntitlements} features, the most there may be`,
    });
  return unit.create('productEntitlements', { ...after!, id: unit.id('ent') });
}

/**
 * Detaches a feature from a product, and from its subscribers at once or at their next period. Errors: `feature_not_found`,
 * `entitlement_not_found`, `validation_failed`.
 */
export async function detachFeature(unit: UnitOfWork, input: unknown): Promise<ProductEntitlementRow> {
  const { before, after } = await planDetachment({ read: unit, now: unit.now }, input);
  if (!after) return unit.remove('productEntitlements', before!);
  return unit.change('productEntitlements', before!, pickVersions(after), { action: 'detached' });
}

/** Plans an attachment, with its errors. */
export async function planAttachment({ read, now }: Planning, input: unknown): Promise<PlannedChange> {
  const { productId, feature: key, reach: wanted, ...given } = parseInput(attachment, input);
  const { tenantAlias } = await findProduct(read, productId);
  const feature = await findFeatureToAttach(read, key);
  const terms = readTerms(feature, given);
  const before = await read.one('productEntitlements', { productId, feature: key });
  const after = before
    ? { ...before, ...buildChange(before, terms, wanted, now) }
    : {
        tenantAlias,
        id: '',
        productId,
        feature: key,
        terms,
        since: now,
        reach: wanted,
        earlier: [],
        createdAt: now,
        updatedAt: now,
      };
  return { feature, productId, reach: wanted, before, after };
}

/** Plans a detachment, with its errors. */
export async function planDetachment({ read, now }: Planning, input: unknown): Promise<PlannedChange> {
  const { productId, feature: key, reach: wanted } = parseInput(detachment, input);
  const feature = await findFeatureByKey(read, key);
  const before = await read.one('productEntitlements', { productId, feature: key });
  if (!before || (before.terms === null && wanted === 'next_period')) return refuse('entitlement_not_found');
  const after = wanted === 'now' ? undefined : { ...before, ...buildChange(before, null, wanted, now) };
  return { feature, productId, reach: wanted, before, after };
}

type Versions = Pick<ProductEntitlementRow, 'terms' | 'since' | 'reach' | 'earlier'>;

const pickVersions = ({ terms, since, reach: wanted, earlier }: ProductEntitlementRow): Versions => ({
  terms,
  since,
  reach: wanted,
  earlier,
});

/** Returns the columns after a change; those before it are kept for the subscribers whom it has not reached. */
function buildChange(
  { terms, since, reach: before, earlier }: ProductEntitlementRow,
  after: EntitlementTerms | null,
  wanted: EntitlementReach,
  now: string,
): Versions {
  if (wanted === 'now') return { terms: after, since: now, reach: wanted, earlier: [] };
  const versions: EntitlementVersion[] = [...earlier, { terms, since, reach: before }];
  return { terms: after, since: now, reach: wanted, earlier: versions };
}

/** Returns what a product has of a feature, by id. Error: `entitlement_not_found`, also after it was detached. */
export async function findProductEntitlement(reads: Reads, id: string): Promise<ProductEntitlementRow> {
  const found = await reads.one('productEntitlements', { id });
  return found && found.terms !== null ? found : refuse('entitlement_not_found');
}

/** Removes the features of products that are removed with their group. */
export async function removeGroupEntitlements(unit: UnitOfWork, groupId: string): Promise<void> {
  const products = await unit.many('products', { where: { groupId } });
  if (products.length === 0) return;
  const productId = products.map(({ id }) => id);
  for (const each of await unit.many('productEntitlements', { where: { productId } }))
    await unit.remove('productEntitlements', each, { causedBy: groupId });
}

/** The plan of a file: what would change, computed by the function that also applies it. */
import { createHash } from 'node:crypto';
import { refuse } from '../lib/errors.ts';
import { isGiven } from '../lib/validation.ts';
import type { TenantReads } from '../storage/store.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { nameCoupons, planCoupons } from './coupons.ts';
import type { CatalogChange, Planning } from './planning.ts';
import { nameProducts, planProducts } from './products.ts';
import { parseCatalogFile, type CatalogFile } from './schema.ts';
import { planMails, planPortal, planTax, planWebhooks } from './settings.ts';
import { readCatalog, type CatalogState } from './state.ts';
import { planFeatures, planGroups, planMeters } from './usageParts.ts';

/** What a file would change in a tenant. */
export interface CatalogPlan {
  /** Names the plan: it is applied only if it still is the plan of the file. */
  hash: string;
  changes: CatalogChange[];
  /** The products, prices and coupons that have no lookup key and are not in the file. */
  unmanaged: number;
}

function makeSteps(scope: TenantScope, state: CatalogState, file: CatalogFile): Planning {
  const planning: Planning = {
    scope,
    state,
    file,
    names: { groups: new Map(), meters: new Map(), products: new Map(), coupons: new Map() },
    priceKeys: new Set(
      (file.products ?? []).flatMap(({ prices = [] }) => prices.flatMap(({ lookupKey }) => lookupKey ?? [])),
    ),
    steps: [],
    retirements: [],
  };
  nameProducts(planning);
  nameCoupons(planning);
  planGroups(planning, file.groups);
  planMeters(planning, file.meters);
  planFeatures(planning, file.features);
  planProducts(planning, file.products);
  planCoupons(planning, file.coupons);
  planTax(planning, file.tax);
  planWebhooks(planning, file.webhooks);
  planMails(planning, file.mails);
  planPortal(planning, file.portal);
  return planning;
}

type Step = Planning['steps'][number];

const describeStep = ({
  run: _,
  seenBy: __,
  id: recordId,
  ...change
}: Step): Omit<CatalogChange, 'subscribers'> => ({
  ...change,
  recordId,
});

function hashPlan(tenantAlias: string, file: CatalogFile, steps: Step[]): string {
  const text = JSON.stringify([tenantAlias, file, steps.map(describeStep)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

const countUnmanaged = ({ products, prices, coupons }: CatalogState, file: CatalogFile): number => {
  const named = new Set(
    [
      ...(file.products ?? []),
      ...(file.products ?? []).flatMap((each) => each.prices ?? []),
      ...(file.coupons ?? []),
    ].map(({ id }) => id),
  );
  // What was replaced has given its key away.
  const present = [
    ...products,
    ...prices.filter(({ archivedAt }) => archivedAt === null),
    ...coupons.filter(({ active }) => active),
  ];
  return present.filter(({ id, lookupKey }) => lookupKey === null && !named.has(id)).length;
};

/**
 * Returns what a file would change, and which subscriptions would see it; changes nothing. Errors: `validation_failed` and the
 * reasons of the rules, with the path in the file; `result_too_large`.
 */
export async function planCatalog(scope: TenantScope, value: unknown): Promise<CatalogPlan> {
  const file = parseCatalogFile(value);
  const reads = scope.primaryReads;
  const state = await readCatalog(reads, scope.record, scope.now());
  const { steps, retirements } = makeSteps(scope, state, file);
  const all = [...steps, ...retirements];
  const changes: CatalogChange[] = [];
  for (const step of all)
    changes.push({ ...describeStep(step), subscribers: await countSubscribers(reads, step) });
  return { hash: hashPlan(scope.alias, file, all), changes, unmanaged: countUnmanaged(state, file) };
}

/** Counts the subscriptions of a product, or of one of its prices, that are not cancelled. */
async function countSubscribers(reads: TenantReads, { seenBy }: Step): Promise<number | null> {
  return seenBy ? reads.count('subscriptions', { ...seenBy, cancelledAt: null }) : null;
}

/**
 * Applies a file in one unit of work; with the hash of a plan only if that still is its plan. Returns what was changed.
 * Errors: `catalog_changed`, and those of `planCatalog`.
 */
export async function applyCatalog(
  scope: TenantScope,
  value: unknown,
  planned: string | null | undefined,
): Promise<CatalogPlan> {
  const file = parseCatalogFile(value);
  return scope.write(async (unit) => {
    const state = await readCatalog(unit, unit.tenant, unit.now);
    const planning = makeSteps(scope, state, file);
    const all = [...planning.steps, ...planning.retirements];
    const hash = hashPlan(scope.alias, file, all);
    if (isGiven(planned) && planned !== hash) refuse('catalog_changed');
    for (const step of all) await step.run(unit, planning.names);
    const changes = all.map((step) => ({ ...describeStep(step), subscribers: null }));
    return { hash, changes, unmanaged: countUnmanaged(state, file) };
  });
}

/** Who gains and who loses by a change of what a product has of a feature. */
import { compareDecimals, formatDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Scan } from '../../storage/scan.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { listProductIds } from '../pricing/invoiceLines.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.ts';
import {
  computeGrant,
  findUsePeriod,
  type EntitlementFacts,
  type Grant,
  type OverrideRow,
  type ProductEntitlementRow,
} from './grants.ts';
import { planAttachment, planDetachment, type PlannedChange } from './productEntitlements.ts';

export type ChangeEffect = 'gain' | 'loss' | 'change';

/** What a change does to a customer. */
interface EntitlementChange {
  customerId: string;
  effect: ChangeEffect;
  /** When it reaches them. */
  at: string;
  /** The value, or the limit as a decimal; null for none, and for a limit without end. */
  before: unknown;
  after: unknown;
}

export interface ChangePreview {
  gaining: number;
  losing: number;
  changing: number;
  /** The customers whose product it is, and for whom nothing changes. */
  unchanged: number;
  /** The first 100 for whom something changes, by their oldest subscription. */
  customers: EntitlementChange[];
}

const mostCustomers = 100;
const rowsAtOnce = 500;

/** Previews `attachFeature`. Errors: those of it, `query_timeout`. */
export const previewAttachment = async (tenant: TenantScope, input: unknown): Promise<ChangePreview> =>
  preview(tenant, await planAttachment({ read: tenant.read, now: tenant.now() }, input));

/** Previews `detachFeature`. Errors: those of it, `query_timeout`. */
export const previewDetachment = async (tenant: TenantScope, input: unknown): Promise<ChangePreview> =>
  preview(tenant, await planDetachment({ read: tenant.read, now: tenant.now() }, input));

async function preview(tenant: TenantScope, plan: PlannedChange): Promise<ChangePreview> {
  const result: ChangePreview = { gaining: 0, losing: 0, changing: 0, unchanged: 0, customers: [] };
  const { feature, productId } = plan;
  const attached = await tenant.read.many('productEntitlements', {
    where: {},
    filter: { feature: feature.key },
  });
  const others = attached.filter((row) => row.productId !== productId);
  const seen = new Set<string>();
  await tenant.scan(async (scan) => {
    const orderBy = ['createdAt', 'id'] as const;
    for await (const rows of scan.slices('subscriptions', {
      where: {},
      filter: { cancelledAt: null },
      orderBy,
    })) {
      const ids = rows.filter((row) => hasProduct(row, productId)).map(({ customerId }) => customerId);
      const customerIds = [...new Set(ids)].filter((id) => !seen.has(id));
      for (const id of customerIds) seen.add(id);
      for (let start = 0; start < customerIds.length; start += rowsAtOnce)
        await addCustomers(
          tenant,
          scan,
          { plan, others, result },
          customerIds.slice(start, start + rowsAtOnce),
        );
    }
  });
  return result;
}

const hasProduct = (row: SubscriptionRow, productId: string): boolean =>
  listProductIds(row).includes(productId);

interface Parts {
  plan: PlannedChange;
  /** What the other products have of the feature. */
  others: ProductEntitlementRow[];
  result: ChangePreview;
}

async function addCustomers(
  tenant: TenantScope,
  scan: Scan,
  { plan, others, result }: Parts,
  customerIds: string[],
): Promise<void> {
  const where = { customerId: customerIds };
  const subscriptions = await scan.select('subscriptions', {
    where,
    filter: { cancelledAt: null },
    orderBy: ['customerId', 'createdAt', 'id'],
  });
  const overrides = await scan.select('entitlementOverrides', {
    where: { ...where, feature: plan.feature.key },
  });
  const overrideOf = new Map(overrides.map((each) => [each.customerId, each]));
  for (const [customerId, own] of groupBy(subscriptions, (row) => row.customerId)) {
    const change = compareCustomer(tenant, plan, others, {
      customerId,
      own,
      override: overrideOf.get(customerId),
    });
    if (!change) result.unchanged += 1;
    else {
      result[counters[change.effect]] += 1;
      if (result.customers.length < mostCustomers) result.customers.push(change);
    }
  }
}

const counters = { gain: 'gaining', loss: 'losing', change: 'changing' } as const;

function compareCustomer(
  tenant: TenantScope,
  { feature, productId, before, after, reach }: PlannedChange,
  others: readonly ProductEntitlementRow[],
  {
    customerId,
    own,
    override,
  }: { customerId: string; own: SubscriptionRow[]; override: OverrideRow | undefined },
): EntitlementChange | undefined {
  const now = tenant.now();
  const { record } = tenant;
  const affected = own.find((row) => hasProduct(row, productId))!;
  const at = reach === 'now' ? now : findNextStart(affected, record.timezone, now);
  const compute = (row: ProductEntitlementRow | undefined): Grant => {
    const facts: EntitlementFacts = {
      feature,
      customerId,
      override,
      subscriptions: own,
      attached: row ? [...others, row] : others,
      counters: [],
    };
    return computeGrant(facts, record, at);
  };
  const [was, is] = [compute(before), compute(after)];
  const effect = compareGrants(was, is);
  return effect && { customerId, effect, at, before: showGrant(was), after: showGrant(is) };
}

/** Returns when the next period of a subscription begins; it may begin at this instant. */
function findNextStart(row: SubscriptionRow, timeZone: string, now: string): string {
  if (row.startsAt > now) return row.startsAt;
  const { start, end } = findUsePeriod(row, timeZone, now);
  return start === now ? now : end;
}

function compareGrants(was: Grant, is: Grant): ChangeEffect | undefined {
  if (was.limit && is.limit) {
    const order =
      compareUnits(was.limit.units, is.limit.units) || compareUnits(was.limit.overage, is.limit.overage);
    return order === 0 ? undefined : order < 0 ? 'gain' : 'loss';
  }
  if (JSON.stringify(was.value) === JSON.stringify(is.value)) return undefined;
  const [had, has] = [was, is].map(({ value }) => value !== null && value !== false);
  return had === has ? 'change' : has ? 'gain' : 'loss';
}

/** No end is more than any number. */
function compareUnits(a: ExactDecimal | null, b: ExactDecimal | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareDecimals(a, b);
}

const showGrant = ({ limit, value }: Grant): unknown =>
  limit ? limit.units && formatDecimal(limit.units) : value;

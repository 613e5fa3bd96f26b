/** What changed of a customer's own records, for the pages that show them. */
import { refuse } from '../../lib/errors.ts';
import type { PortalPart } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';
import type { CustomerSession } from '../../tenancy/apiKeyCache.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { ActivityType } from '../../tenancy/traces/eventTypes.ts';
import { followTraces } from '../../tenancy/traces/follow.ts';

export const viewerChangeKinds = [
  'started',
  'customer',
  'subscription',
  'invoice',
  'payment_method',
] as const;

/** A change of a customer's own record; the first one of a subscription is its start and has no record. */
export interface ViewerChange {
  kind: (typeof viewerChangeKinds)[number];
  objectId: string | null;
  session: CustomerSession;
}

const kindsOfEvents: Partial<Record<ActivityType, { kind: ViewerChange['kind']; part?: PortalPart }>> = {
  CustomerEvent: { kind: 'customer' },
  SubscriptionEvent: { kind: 'subscription' },
  InvoiceEvent: { kind: 'invoice', part: 'invoices' },
  PaymentMethodEvent: { kind: 'payment_method', part: 'paymentMethods' },
};

/** Fields of records that customers do not see: a change of these alone is none of theirs. */
const closedFields = new Set([
  'metadata',
  'associatedId',
  'taxExempt',
  'taxRateId',
  'vatIdCheck',
  'mailBlockedAt',
  'mailBlockedReason',
  'updatedAt',
]);

/** Events of a customer that change nothing of theirs. */
const unseenActions = new Set(['portal_signed_in', 'session_created', 'session_revoked']);

interface Payload {
  action: string;
  resourceId: string;
  object: { customerId?: string; status?: string };
  changes: Record<string, unknown>;
}

/** Returns the kind of a change that a customer sees; undefined for those of others, and for what no customer sees. */
function findKind({ activityType, payload }: Row<'traces'>, customerId: string) {
  const found = kindsOfEvents[activityType as ActivityType];
  if (!found) return undefined;
  const { action, resourceId, object, changes } = payload as unknown as Payload;
  if ((found.kind === 'customer' ? resourceId : object.customerId) !== customerId) return undefined;
  const fields = Object.keys(changes);
  const isClosed = fields.length > 0 && fields.every((field) => closedFields.has(field));
  return isClosed || unseenActions.has(action) || object.status === 'draft' ? undefined : found;
}

/**
 * Follows the changes of a customer's subscriptions, invoices but drafts, payment methods and details, from now on. The first is
 * `started`: what is read for it and for all later ones misses nothing. Several changes of one record that wait to be sent are
 * one. All followers of a tenant share one reader of its traces. Error: `validation_failed` without a customer session.
 */
export async function followViewer(
  tenant: TenantScope,
  session: CustomerSession | undefined,
): Promise<AsyncIterableIterator<ViewerChange>> {
  if (!session) {
    const message = 'must be the token of a customer session';
    return refuse('validation_failed', { path: 'authorization', message });
  }
  const settings = findPortalSettings(tenant.record);
  const waiting = new Map<string, ViewerChange>();
  let ended: { error?: unknown } | undefined;
  let wake = () => {};
  const add = (kind: ViewerChange['kind'], objectId: string | null) => {
    waiting.set(`${kind} ${objectId}`, { kind, objectId, session });
    wake();
  };
  const end = (error?: unknown) => {
    ended ??= { error };
    wake();
  };
  const receiver = {
    next: (trace: Row<'traces'>) => {
      const found = findKind(trace, session.customerId);
      if (found && (!found.part || settings[found.part]))
        add(found.kind, String(trace.payload['resourceId']));
    },
    end,
  };
  add('started', null);
  const leave = await tenant.sharedTraces.receive(
    tenant.alias,
    () => followTraces(tenant, {}, undefined),
    receiver,
  );
  const next = async (): Promise<IteratorResult<ViewerChange>> => {
    for (;;) {
      if (ended?.error) throw ended.error as Error;
      if (ended) return { done: true, value: undefined };
      const [first] = waiting;
      if (first) {
        waiting.delete(first[0]);
        return { done: false, value: first[1] };
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const iterator: AsyncIterableIterator<ViewerChange> = {
    [Symbol.asyncIterator]: () => iterator,
    next,
    return: async () => {
      leave();
      end();
      return { done: true, value: undefined };
    },
  };
  return iterator;
}

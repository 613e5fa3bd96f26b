import type { Queries } from '../../storage/query/queries.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { matchEnding } from '../../billing/discounts/ends.ts';
import { matchExpiring } from '../../billing/invoices/creditExpiry.ts';
import { addMs } from '../../lib/time.ts';
import { listUnknownEvents } from '../../outgoing/webhooks/eventFilters.ts';
import { matchInterrupted } from '../../tenancy/idempotency.ts';
import type { Problem } from './repairHints.ts';
import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts';

interface StalledWork {
  check: Problem;
  subject: string;
  found: string;
}

const mostReported = 100;

/**
 * Finds work that is long overdue; at most 100 records of each kind. `now` is the tenant's time, `realNow` the
 * server's.
 */
export async function findStalledWork(
  queries: Queries,
  tenant: Row<'tenants'>,
  now: string,
  realNow: string,
): Promise<StalledWork[]> {
  const { alias: tenantAlias } = tenant;
  const old = { to: addMs(now, -hourMs) };
  const veryOld = { to: addMs(now, -dayMs) };
  const limit = mostReported;
  const due = await queries.select('subscriptions', {
    where: { tenantAlias, dueAt: old },
    orderBy: ['dueAt', 'id'],
    limit,
  });
  const waiting = await queries.select('intents', {
    where: { tenantAlias, askedAt: veryOld },
    orderBy: ['askedAt', 'id'],
    limit,
  });
  const pending = await queries.select('payments', {
    where: { tenantAlias, status: 'pending', reference: null, createdAt: veryOld },
    orderBy: ['createdAt', 'id'],
    limit,
  });
  const credits = await listStalledCredits(queries, tenantAlias, veryOld);
  const discounts = await queries.select('discounts', {
    where: { tenantAlias, ...matchEnding(veryOld.to) },
    orderBy: ['endsAt', 'id'],
    limit,
  });
  const topUps = await queries.select('autoTopUps', {
    where: { tenantAlias, checkAt: veryOld },
    orderBy: ['checkAt', 'id'],
    limit,
  });
  const requests = await queries.select('idempotency', {
    where: { tenantAlias, ...matchInterrupted(addMs(realNow, -minuteMs)) },
    orderBy: ['claimedUntil'],
    limit,
  });
  return [
    ...due.map(({ id, dueAt }) => buildFinding('overdue', id, `has been due since ${dueAt}`)),
    ...waiting.map(({ id, askedAt }) =>
      buildFinding('payment_under_way', id, `has been waiting for the payment provider since ${askedAt}`),
    ),
    ...pending.map(({ id, createdAt }) =>
      buildFinding('payment_under_way', id, `has been pending since ${createdAt}`),
    ),
    ...credits.map(({ id, expiresAt }) =>
      buildFinding('overdue', id, `expired at ${expiresAt}, but has a remainder`),
    ),
    ...discounts.map(({ id, endsAt }) =>
      buildFinding('overdue', id, `ended at ${endsAt}, but no event says so`),
    ),
    ...topUps.map(({ id, checkAt }) =>
      buildFinding('overdue', id, `has been due to compare what is left since ${checkAt}`),
    ),
    ...requests.map(({ idempotencyKey, createdAt }) =>
      buildFinding('request_under_way', idempotencyKey, `was interrupted; it arrived at ${createdAt}`),
    ),
    ...(await listStalledDeliveries(queries, tenant, now)),
    ...(await listKeptMethods(queries, tenantAlias, veryOld)),
    ...(await listStalledMails(queries, tenantAlias, now)),
    ...(await listDeafEndpoints(queries, tenantAlias)),
    ...(await listFailedAlerts(queries, tenantAlias)),
  ];
}

const buildFinding = (check: Problem, subject: string, found: string): StalledWork => ({
  check,
  subject,
  found,
});

/** Finds credits that expired long ago, but whose remainder was not ended; a payment in progress may reserve some. */
async function listStalledCredits(
  queries: Queries,
  tenantAlias: string,
  veryOld: { to: string },
): Promise<Row<'balanceEntries'>[]> {
  const left = await queries.select('balanceEntries', {
    where: { tenantAlias, ...matchExpiring(veryOld) },
    orderBy: ['expiresAt', 'id'],
    limit: mostReported,
  });
  if (left.length === 0) return [];
  const paying = await queries.select('intents', {
    where: {
      tenantAlias,
      customerId: left.map(({ customerId }) => customerId),
      status: ['processing', 'requires_action'],
    },
  });
  const reserving = new Set(
    paying.flatMap(({ customerId, balanceMinor }) => (balanceMinor === null ? [] : customerId)),
  );
  // A voided invoice or an ended payment may just have returned its part.
  const moved = await queries.select('balanceEntries', {
    where: { tenantAlias, creditId: left.map(({ id }) => id), createdAt: { after: veryOld.to } },
  });
  const recent = new Set(moved.map(({ creditId }) => creditId));
  return left.filter(({ id, customerId }) => !reserving.has(customerId) && !recent.has(id));
}

/** Finds customers whose usage could not be compared with its alerts several times in a row. */
async function listFailedAlerts(queries: Queries, tenantAlias: string): Promise<StalledWork[]> {
  const failed = await queries.select('limitChecks', {
    where: { tenantAlias, failures: { from: 3 } },
    orderBy: ['id'],
    limit: mostReported,
  });
  return failed.map(({ customerId, failures }) =>
    buildFinding(
      'alerts',
      customerId,
      `has usage that could not be compared with its alerts ${failures} times`,
    ),
  );
}

/** Finds methods that their providers should have forgotten long ago. */
async function listKeptMethods(
  queries: Queries,
  tenantAlias: string,
  veryOld: { to: string },
): Promise<StalledWork[]> {
  const kept = await queries.select('methodDetachments', {
    where: { tenantAlias, createdAt: veryOld, attempts: { from: 1 } },
    orderBy: ['dueAt', 'id'],
    limit: mostReported,
  });
  return kept.map(({ id, provider, attempts, createdAt }) =>
    buildFinding(
      'kept_method',
      id,
      `is a removed payment method that ${provider} keeps since ${createdAt}; it was asked ${attempts} times to forget it`,
    ),
  );
}

/** Finds endpoints that filter for events that do not exist. Releases up to 0.1 accepted any action as a filter. */
async function listDeafEndpoints(queries: Queries, tenantAlias: string): Promise<StalledWork[]> {
  const endpoints = await queries.select('webhookEndpoints', { where: { tenantAlias }, orderBy: ['id'] });
  return endpoints.flatMap(({ id, events }) =>
    listUnknownEvents(events).map((name) =>
      buildFinding('webhook_filter', id, `filters for ${name}, which does not exist`),
    ),
  );
}

/** Finds mails that are long overdue, that wait for no mail, and that failed at the server time after time. */
async function listStalledMails(queries: Queries, tenantAlias: string, now: string): Promise<StalledWork[]> {
  const where = { tenantAlias, status: 'pending' as const };
  const waiting = await queries.select('mailDeliveries', {
    where: { ...where, createdAt: { to: addMs(now, -hourMs) } },
    orderBy: ['createdAt', 'id'],
    limit: mostReported,
  });
  const faults: StalledWork[] = [];
  for (const { id, chain, dueAt, tries } of waiting) {
    const last = tries.at(-1);
    if (dueAt !== null && dueAt <= addMs(now, -hourMs))
      faults.push(buildFinding('mail', id, `has been due since ${dueAt}`));
    else if (dueAt !== null && last)
      faults.push(buildFinding('mail', id, `is not accepted: ${last.response ?? last.error ?? ''}`));
    else if (dueAt === null) {
      const [first] = await queries.select('mailDeliveries', {
        where: { ...where, chain },
        orderBy: ['id'],
        limit: 1,
      });
      if (first?.id === id)
        faults.push(buildFinding('mail', id, 'waits for an earlier mail that does not exist'));
    }
  }
  return faults;
}

/** Finds deliveries that are long overdue, and deliveries that wait for a predecessor that does not exist. */
async function listStalledDeliveries(
  queries: Queries,
  { alias: tenantAlias, clockAt }: Row<'tenants'>,
  now: string,
): Promise<StalledWork[]> {
  // A test clock does not wait for an endpoint that fails; the dispatcher sends overdue deliveries in the background.
  const late = clockAt
    ? []
    : await queries.select('webhookDeliveries', {
        where: { tenantAlias, status: 'pending', dueAt: { to: addMs(now, -hourMs) } },
        orderBy: ['dueAt', 'id'],
        limit: mostReported,
      });
  const waiting = await queries.select('webhookDeliveries', {
    where: { tenantAlias, status: 'pending', dueAt: null, createdAt: { to: addMs(now, -hourMs) } },
    orderBy: ['createdAt', 'id'],
    limit: mostReported,
  });
  const faults = late.map(({ id, dueAt }) => buildFinding('delivery', id, `has been due since ${dueAt}`));
  for (const { id, endpointId, chain, sequence } of waiting) {
    const ahead = await queries.select('webhookDeliveries', {
      where: { tenantAlias, endpointId, chain, status: 'pending', sequence: { before: sequence } },
      limit: 1,
    });
    if (ahead.length === 0)
      faults.push(buildFinding('delivery', id, 'waits for an earlier delivery that does not exist'));
  }
  return faults;
}

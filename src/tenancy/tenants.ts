import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import { refuse } from '../lib/errors.ts';
import { isTimeZone, toInstant } from '../lib/time.ts';
import { memoizeLast } from '../lib/ids.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { completeRow } from '../storage/query/tableMeta.ts';
import type { Clocked, Service, Stored, Writing } from './service.ts';
import { newTenantMail } from './mailDefaults.ts';
import { defaultPortal } from './portalDefaults.ts';
import { UnitOfWork, type Origin } from './unitOfWork.ts';

export type TenantRow = Row<'tenants'>;

export interface NewTenant {
  alias: string;
  name?: string;
  timezone?: string;
  /** A test tenant pays with sandbox methods, and may have a test clock. */
  test?: boolean;
  /** The initial time of a test clock (ISO 8601), for a test tenant; without it the tenant uses real time. */
  clock?: string;
}

/** Keys of browsers have these words in the place of the alias. */
const reservedAliases: ReadonlySet<string> = new Set(['pk', 'cs']);

const aliasForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const cursorSecretLength = 32;
const defaultRetryDays = [2, 7, 14, 21];

/**
 * Creates a tenant. Error: `validation_failed` for an alias that is taken, reserved (`pk`, `cs`) or not 1–63 lower-case letters, digits and
 * inner hyphens, for an unknown time zone, and for a clock of a tenant that is not a test tenant. `begin` adds its first
 * records in the same unit.
 */
export async function createTenant(
  service: Writing & Partial<Pick<Service, 'vatRegister'>>,
  input: NewTenant,
  origin: Origin = createOperatorOrigin(service),
  begin: (unit: UnitOfWork) => MaybePromise<unknown> = () => undefined,
): Promise<Row<'tenants'>> {
  const { alias, timezone = 'UTC', test = false, clock } = input;
  if (!aliasForm.test(alias)) {
    refuse('validation_failed', {
      path: 'alias',
      message: 'must have 1–63 characters: a–z, 0–9 and inner hyphens',
      code: 'not_an_alias',
    });
  }
  if (reservedAliases.has(alias))
    refuse('validation_failed', { path: 'alias', message: `${alias} is reserved`, code: 'reserved' });
  if (!isTimeZone(timezone)) {
    refuse('validation_failed', {
      path: 'timezone',
      message: 'must be an IANA time zone',
      code: 'not_a_time_zone',
    });
  }
  if (clock !== undefined && !test) {
    refuse('validation_failed', { path: 'clock', message: 'is for test tenants only' });
  }
  if (clock !== undefined && Number.isNaN(Date.parse(clock))) {
    refuse('validation_failed', { path: 'clock', message: 'must be an ISO 8601 instant' });
  }
  const now = toInstant(clock !== undefined ? Date.parse(clock) : service.clock.nowMs());
  const tenant = completeRow('tenants', {
    alias,
    name: input.name ?? alias,
    timezone,
    test,
    clockAt: clock === undefined ? null : now,
    cursorSecret: service.ids.secret(cursorSecretLength),
    retryDays: defaultRetryDays,
    hasWebhooks: false,
    portal: defaultPortal,
    // Matters to sellers in the European Union alone. A test tenant asks VIES only if somebody wants it to.
    vatIdCheck: service.vatRegister && !test ? 'draft' : null,
    mail: newTenantMail,
    createdAt: now,
    updatedAt: now,
    revenueSince: now,
  });
  const members = await listOperatorsOfNewTenants(service);
  return service.store.transact(alias, async (queries, latestEvent) => {
    service.ids.follow(latestEvent);
    const unit = new UnitOfWork({ queries, tenant, now, ids: service.ids, origin });
    const created = await unit.createIfAbsent('tenants', tenant, ['alias']);
    if (!created)
      return refuse('validation_failed', { path: 'alias', message: `${alias} is taken`, code: 'taken' });
    await begin(unit);
    await addMembers(unit, members);
    return created;
  });
}

/** Returns the operators who work for every new tenant, and their roles. */
const listOperatorsOfNewTenants = ({ store }: Stored): MaybePromise<Row<'operators'>[]> =>
  mapMaybe(store.fresh.select('operators', { where: {}, orderBy: ['createdAt', 'id'] }), (operators) =>
    operators.filter(({ roleInNewTenants }) => roleInNewTenants !== null),
  );

/** Adds operators to a new tenant, unless they are in it. */
async function addMembers(unit: UnitOfWork, operators: Row<'operators'>[]): Promise<void> {
  for (const { id, roleInNewTenants: role } of operators) {
    const values = { id, role: role!, createdAt: unit.now, updatedAt: unit.now };
    await unit.createIfAbsent('operatorMemberships', values, ['tenantAlias', 'id']);
  }
}

/** Adds the operators who work for every new tenant to one that was imported. */
export async function addOperatorsOfNewTenants(service: Writing, alias: string): Promise<void> {
  const members = await listOperatorsOfNewTenants(service);
  if (members.length > 0)
    await transact(service, alias, createOperatorOrigin(service), (unit) => addMembers(unit, members));
}

/** Returns the tenant with this alias, or undefined. */
export async function findTenant({ store }: Stored, alias: string): Promise<Row<'tenants'> | undefined> {
  return (await store.fresh.select('tenants', { where: { alias }, limit: 1 }))[0];
}

/** Verifies that a tenant with this alias exists. Error: `validation_failed`. */
export async function requireTenant(service: Stored, alias: string): Promise<void> {
  if (!(await findTenant(service, alias)))
    refuse('validation_failed', { path: 'tenant', message: `there is no tenant ${alias}` });
}

/** Returns all tenants, sorted by alias. */
export async function listTenants({ store }: Stored): Promise<Row<'tenants'>[]> {
  return store.fresh.select('tenants', { where: {}, orderBy: ['alias'] });
}

// Keeps the last instant alone: units of one millisecond share its text.
const memoizedInstant = memoizeLast(toInstant);

/**
 * Returns the tenant's current time, an ISO 8601 instant: its test clock if it has one, otherwise the service's clock.
 */
export function getCurrentInstant({ clock }: Clocked, { clockAt }: Pick<TenantRow, 'clockAt'>): string {
  return clockAt ?? memoizedInstant(clock.nowMs());
}

/**
 * Runs one unit of work of a tenant at the tenant's current time, and queues webhook deliveries and mails of its events;
 * resolves when all of it is durable.
 */
export function transact<T>(
  service: Writing,
  alias: string,
  origin: Origin,
  rule: (unit: UnitOfWork) => MaybePromise<T>,
): Promise<T> {
  let queued = 0;
  let queuedMails = 0;
  let queuedEInvoices = 0;
  let changesKeys = false;
  let changesTerms = false;
  let hasEvents = false;
  const perform = (unit: UnitOfWork) =>
    mapMaybe(rule(unit), (value) =>
      mapMaybe(service.revenue.record(unit), () =>
        mapMaybe(service.mailer.queueEvents(unit), () =>
          mapMaybe(service.dispatcher.queue(unit), () => {
            queued = unit.queued;
            queuedMails = unit.queuedMails;
            queuedEInvoices = unit.queuedEInvoices;
            changesKeys = unit.changesKeys;
            changesTerms = unit.changesTerms;
            hasEvents = unit.events.length > 0;
            return value;
          }),
        ),
      ),
    );
  const { ids } = service;
  const durable = service.store.transact(alias, (queries, latestEvent, known) => {
    ids.follow(latestEvent);
    const rows = known ? [known] : queries.select('tenants', { where: { alias }, limit: 1 });
    return mapMaybe(rows, ([tenant]) => {
      if (!tenant) return refuse('tenant_mismatch');
      const now = getCurrentInstant(service, tenant);
      return perform(new UnitOfWork({ queries, tenant, now, ids, origin }));
    });
  });
  return durable.then((value) => {
    // Cached keys contain the tenant's record.
    if (changesKeys) service.apiKeyCache.clear();
    if (changesTerms) service.terms.forget(alias);
    service.notifier.notify(alias);
    if (hasEvents) service.writtenTenants.add(alias);
    if (queued > 0) service.dispatcher.notify(alias);
    if (queuedMails > 0) service.mailer.notify(alias);
    if (queuedEInvoices > 0) service.eInvoices.notify(alias);
    return value;
  });
}

/** Returns the origin of actions from the command line. */
export function createOperatorOrigin({ ids }: Pick<Service, 'ids'>): Origin {
  return { traceId: ids.traceId(), executorId: 'system:operator' };
}

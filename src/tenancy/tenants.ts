import type { Logger } from 'pino';
import { mapMaybe, type MaybePromise } from '../lib/maybePromise.ts';
import { refuse } from '../lib/errors.ts';
import { isTimeZone, toInstant } from '../lib/time.ts';
import type { Clock } from '../lib/clock.ts';
import type { Language } from '../lib/language.ts';
import { memoizeLast, type Ids, type RandomBytes } from '../lib/ids.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { completeRow } from '../storage/query/tableMeta.ts';
import type { Attempts } from '../runtime/attempts.ts';
import type { DocumentRenderer } from '../documents/render.ts';
import type { Turns } from '../runtime/turns.ts';
import type { Store } from '../storage/store.ts';
import type { ApiKeyCache, ApiKeyUses } from './apiKeyCache.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import type { Providers } from '../providers/registry.ts';
import type { VatRegister } from '../providers/vies.ts';
import type { Notifier } from './traces/notifier.ts';
import { UnitOfWork, type Origin } from './unitOfWork.ts';
import type { MailKind } from '../storage/model/mails.ts';
import type { SecretBox } from '../lib/secretBox.ts';
import type { PasswordHasher } from '../lib/passwords.ts';

/** The dependencies shared by every part of the service: its database, clock, ids and payment providers. */
export interface Service {
  store: Store;
  clock: Clock;
  ids: Ids;
  /** Notifies followers of new events. */
  notifier: Notifier;
  payments: { charging: Providers; ofTenants: AccountProviders };
  /** API keys that were verified recently. */
  apiKeyCache: ApiKeyCache;
  apiKeyUses: ApiKeyUses;
  /** Encrypts secrets, and stored responses that contain them. */
  secretBox: SecretBox;
  dispatcher: WebhookDispatcher;
  mailer: Mailer;
  /** Hashes the passwords of operators. */
  passwords: PasswordHasher;
  documentRenderer: DocumentRenderer;
  revenue: RevenueRecorder;
  /** Releases the claims of the mutations under way; called when the server stops before they complete. */
  underWay: Set<() => Promise<void>>;
  /** Attempts to charge an invoice, which requests at the same time share. */
  attempts: Attempts;
  /** Changes of a subscription, which run one after another. */
  changeTurns: Turns;
  /** The register of VAT ids; undefined if the server asks none. */
  vatRegister?: VatRegister;
}

/** Opens the accounts of tenants at payment providers. */
export interface AccountProviders {
  /** Returns the payment providers of a tenant: its own accounts, and for the others those of the server. */
  load(service: Service, tenant: TenantRow): Promise<Providers>;
  /** Returns the provider that uses a tenant's own account. Its failures are recorded in the account. */
  open(service: Service, account: Row<'accounts'>): Promise<PaymentProvider>;
}

/** Delivers events to webhook endpoints, as far as the rules use it. */
export interface WebhookDispatcher {
  randomBytes: RandomBytes;
  /** Whether webhooks may call private network addresses. */
  mayCallPrivate: boolean;
  /** Returns the reason why a payload query is invalid; undefined if it is valid. */
  findQueryProblem(query: string): string | undefined;
  /** Queues deliveries of the events that a unit of work has recorded, within that unit. */
  queue(unit: UnitOfWork): MaybePromise<void>;
  /** Signals that deliveries of a tenant have been queued. */
  notify(alias: string): void;
  /**
   * Sends the deliveries that are due at the tenant's current time, and those that become due as a result; resolves
   * when done, at the latest after `limitMs`; attempts under way then go on.
   */
  deliverDue(service: Service, alias: string, limitMs?: number): Promise<void>;
  /** Starts sending deliveries as they become due. */
  start(service: Service, log: Logger): Working;
}

/** A mail to queue. */
export interface NewMail {
  kind: MailKind;
  customerId: string | null;
  recipient: string;
  language: Language;
  /** What the mail says. Stored as it is: the code of `portal_code` is sealed (`sealed`, `expiresAt`). */
  data?: Record<string, unknown>;
}

/** Queues and sends mails, as far as the rules use it. */
export interface Mailer {
  /** Whether there is a mail server for the tenant. */
  canSend(tenant: Row<'tenants'>): boolean;
  /** Whether the tenant's customers are written to. */
  isOn(tenant: Row<'tenants'>): boolean;
  /** Queues the mails for the events that a unit of work has recorded, within that unit. */
  queueEvents(unit: UnitOfWork): MaybePromise<void>;
  /** Queues a mail that reports no event, within a unit of work. Returns the delivery. */
  queue(unit: UnitOfWork, mail: NewMail): Promise<Row<'mailDeliveries'>>;
  /** Connects to a tenant's own mail server and signs in, without sending; the account records the outcome. */
  tryServer(service: Service, account: Row<'accounts'>): Promise<void>;
  /** Signals that mails of a tenant have been queued. */
  notify(alias: string): void;
  /** Sends the mails that are due at the tenant's current time; resolves when done. */
  sendDue(service: Service, alias: string): Promise<void>;
  /** Starts sending mails as they become due. */
  start(service: Service, log: Logger): Working;
}

/** Keeps the records of revenue, as far as the rules use it. */
export interface RevenueRecorder {
  /** Writes the movements of recurring revenue and the sums that follow from the changes of a unit, within it. */
  record(unit: UnitOfWork): MaybePromise<void>;
}

/** A background process. */
export interface Working {
  /**
   * Stops; resolves when nothing is under way any more, at the latest after `limitMs`. Interrupted calls are repeated
   * after the next start.
   */
  stop(limitMs: number): Promise<void>;
}

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

const aliasForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const cursorSecretLength = 32;
const defaultRetryDays = [2, 7, 14, 21];

/**
 * Creates a tenant. Error: `validation_failed` for an alias that is taken or is not 1–63 lower-case letters, digits and
 * inner hyphens, for an unknown time zone, and for a clock of a tenant that is not a test tenant. `begin` adds its first
 * records in the same unit.
 */
export async function createTenant(
  service: Service,
  input: NewTenant,
  origin: Origin = createOperatorOrigin(service),
  begin: (unit: UnitOfWork) => MaybePromise<unknown> = () => undefined,
): Promise<Row<'tenants'>> {
  const { alias, timezone = 'UTC', test = false, clock } = input;
  if (!aliasForm.test(alias)) {
    refuse('validation_failed', {
      path: 'alias',
      message: 'must have 1–63 characters: a–z, 0–9 and inner hyphens',
    });
  }
  if (!isTimeZone(timezone)) {
    refuse('validation_failed', { path: 'timezone', message: 'must be an IANA time zone' });
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
    createdAt: now,
    updatedAt: now,
    revenueSince: now,
  });
  const members = await listOperatorsOfNewTenants(service);
  return service.store.transact(alias, async (queries, latestEvent) => {
    service.ids.follow(latestEvent);
    const unit = new UnitOfWork({ queries, tenant, now, ids: service.ids, origin });
    const created = await unit.createIfAbsent('tenants', tenant, ['alias']);
    if (!created) return refuse('validation_failed', { path: 'alias', message: `${alias} is taken` });
    await begin(unit);
    await addMembers(unit, members);
    return created;
  });
}

/** Returns the operators who work for every new tenant, and their roles. */
const listOperatorsOfNewTenants = ({ store }: Service): MaybePromise<Row<'operators'>[]> =>
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
export async function addOperatorsOfNewTenants(service: Service, alias: string): Promise<void> {
  const members = await listOperatorsOfNewTenants(service);
  if (members.length > 0)
    await transact(service, alias, createOperatorOrigin(service), (unit) => addMembers(unit, members));
}

/** Returns the tenant with this alias, or undefined. */
export async function findTenant(service: Service, alias: string): Promise<Row<'tenants'> | undefined> {
  return (await service.store.fresh.select('tenants', { where: { alias }, limit: 1 }))[0];
}

/** Verifies that a tenant with this alias exists. Error: `validation_failed`. */
export async function requireTenant(service: Service, alias: string): Promise<void> {
  if (!(await findTenant(service, alias)))
    refuse('validation_failed', { path: 'tenant', message: `there is no tenant ${alias}` });
}

/** Returns all tenants, sorted by alias. */
export async function listTenants(service: Service): Promise<Row<'tenants'>[]> {
  return service.store.fresh.select('tenants', { where: {}, orderBy: ['alias'] });
}

// Keeps the last instant alone: units of one millisecond share its text.
const memoizedInstant = memoizeLast(toInstant);

/**
 * Returns the tenant's current time, an ISO 8601 instant: its test clock if it has one, otherwise the service's clock.
 */
export function getCurrentInstant(service: Service, tenant: Row<'tenants'>): string {
  return tenant.clockAt ?? memoizedInstant(service.clock.nowMs());
}

/**
 * Runs one unit of work of a tenant at the tenant's current time, and queues webhook deliveries and mails of its events;
 * resolves when all of it is durable.
 */
export function transact<T>(
  service: Service,
  alias: string,
  origin: Origin,
  rule: (unit: UnitOfWork) => MaybePromise<T>,
): Promise<T> {
  let queued = 0;
  let queuedMails = 0;
  let changesKeys = false;
  const perform = (unit: UnitOfWork) =>
    mapMaybe(rule(unit), (value) =>
      mapMaybe(service.revenue.record(unit), () =>
        mapMaybe(service.mailer.queueEvents(unit), () =>
          mapMaybe(service.dispatcher.queue(unit), () => {
            queued = unit.queued;
            queuedMails = unit.queuedMails;
            changesKeys = unit.changesKeys;
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
    service.notifier.notify(alias);
    if (queued > 0) service.dispatcher.notify(alias);
    if (queuedMails > 0) service.mailer.notify(alias);
    return value;
  });
}

/** Returns the origin of actions from the command line. */
export function createOperatorOrigin(service: Service): Origin {
  return { traceId: service.ids.traceId(), executorId: 'system:operator' };
}

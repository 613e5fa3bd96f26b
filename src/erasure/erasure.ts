import { deserialize } from 'node:v8';
import { findCustomer, type CustomerRow } from '../billing/customers/customers.ts';
import type { Selection } from '../storage/query/queries.ts';
import type { Row, TenantTable } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import { refuse } from '../lib/errors.ts';
import { addMs } from '../lib/time.ts';
import { encodeRefusal } from '../tenancy/idempotencyOutcome.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import { closeOneOffBilling } from '../billing/invoices/oneOffInvoices.ts';
import { queueDetachment } from '../billing/payments/detachments.ts';
import { freezeUnkept } from '../billing/invoices/frozenDocuments.ts';
import { retainDocuments } from '../billing/invoices/retention.ts';
import { listSavedMethods, markMethodRemoved } from '../billing/payments/paymentMethods.ts';
import { eraseEntitlements } from '../billing/entitlements/overrides.ts';
import { eraseUsage } from '../billing/usage/eraseUsage.ts';
import { cancelAgreements } from './deletion.ts';
import {
  eraseTrace,
  buildErasedCustomer,
  buildErasedIntent,
  buildErasedMethod,
  buildErasedSubscription,
  isErased,
} from '../billing/customers/erasedData.ts';
import {
  eraseDelivery,
  eraseEInvoices,
  eraseMails,
  eraseRequests,
  eraseTexts,
  eraseTraced,
} from './erasedRecords.ts';
import { minuteMs } from '../lib/durations.ts';

const rowsPerPage = 500;
/** A request received before the search started may be recorded only after it. */
const longestRequestMs = 5 * minuteMs;

/** Personal data collected from the traces, which also exist for a deleted customer. */
interface Person {
  id: string;
  /** Texts that identify the customer anywhere. */
  names: Set<string>;
  /** The customer's record in its last trace. */
  last?: Record<string, unknown>;
}

/** The records with the customer's personal data, and how far the search has come. */
interface Found {
  person: Person;
  traces: Row<'traces'>[];
  events: Set<string>;
  lastEvent: string;
  deliveries: string[];
  lastDelivery: string;
  /** Idempotency keys of requests whose stored responses contain the customer's data. */
  requests: Set<string>;
}

/**
 * Replaces a customer's personal data in all records: the customer, traces, deliveries, intents, references of manually
 * recorded payments, and responses stored for idempotency keys. Amounts and dates stay, so that the books add up, and issued
 * documents until their retention ends. Also
 * erases a deleted customer; repeating it changes nothing. Searches page by page before the one unit of work that
 * writes. Errors: `customer_not_found`, `associated_id_mismatch`, `customer_has_subscriptions`, `unavailable`.
 */
export async function eraseCustomer(
  tenant: TenantScope,
  id: string,
  associatedId: string | null | undefined,
): Promise<CustomerRow> {
  const reads = tenant.primaryReads;
  const known = await reads.one('customers', { id });
  if (known && !isErased(known)) await findCustomer(reads, id, associatedId);
  const beganAt = addMs(tenant.serviceNow(), -longestRequestMs);
  const found = await searchRecords(reads, id);
  const erased = await tenant.write((unit) => erase(unit, found, associatedId, beganAt));
  await tenant.purgeOldData();
  return erased;
}

async function searchRecords(reads: Reads, id: string): Promise<Found> {
  const found: Found = {
    person: { id, names: new Set() },
    traces: [],
    events: new Set(),
    lastEvent: '',
    deliveries: [],
    lastDelivery: '',
    requests: new Set(),
  };
  await searchTraces(reads, found);
  await searchDeliveries(reads, found);
  await searchRequests(reads, found, {});
  return found;
}

async function searchTraces(reads: Reads, found: Found): Promise<void> {
  const { person } = found;
  for await (const page of readPages(reads, 'traces', 'eventId', found.lastEvent)) {
    for (const trace of page) {
      const { resourceId, object } = trace.payload as { resourceId: string; object: Record<string, unknown> };
      const isOwn = resourceId === person.id;
      if (isOwn) {
        person.last = object;
        for (const text of [object['email'], object['associatedId']]) person.names.add(String(text));
      }
      if (isOwn || object['customerId'] === person.id || person.names.has(trace.executorId)) {
        found.traces.push(trace);
        found.events.add(trace.eventId);
      }
    }
    found.lastEvent = page.at(-1)!.eventId;
  }
}

/**
 * Also finds bodies of other records' events that contain the customer's data, because an endpoint's query may select
 * any field.
 */
async function searchDeliveries(reads: Reads, found: Found): Promise<void> {
  for await (const page of readPages(reads, 'webhookDeliveries', 'id', found.lastDelivery)) {
    for (const { id, eventId, body, status } of page) {
      const isSendable = body !== null || status === 'pending';
      if (isSendable && (found.events.has(eventId) || containsPerson(found.person, body)))
        found.deliveries.push(id);
    }
    found.lastDelivery = page.at(-1)!.id;
  }
}

async function searchRequests(
  reads: Reads,
  { person, requests }: Found,
  where: Selection<'idempotency'>['where'],
): Promise<void> {
  let past: string[] | undefined;
  for (;;) {
    const page = await reads.many('idempotency', {
      where,
      orderBy: ['createdAt', 'idempotencyKey', 'field'],
      past,
      limit: rowsPerPage,
    });
    for (const { idempotencyKey, field, outcome, progress } of page) {
      const texts = [field === '' ? outcome : formatValue(outcome), formatValue(progress)];
      if (texts.some((text) => containsPerson(person, text))) requests.add(idempotencyKey);
    }
    if (page.length < rowsPerPage) return;
    const { createdAt, idempotencyKey, field } = page.at(-1)!;
    past = [createdAt, idempotencyKey, field];
  }
}

function containsPerson({ id, names }: Person, text: string | null): boolean {
  if (text === null) return false;
  return [id, ...names].some((name) => text.includes(JSON.stringify(name).slice(1, -1)));
}

/** Formats the stored result of a mutation or its steps as JSON; rows contain BigInts. */
function formatValue(encoded: string | null): string | null {
  if (encoded === null) return null;
  const value: unknown = deserialize(Buffer.from(encoded, 'base64'));
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}

async function* readPages<Name extends TenantTable>(
  reads: Reads,
  name: Name,
  key: keyof Row<Name> & string,
  after: string,
): AsyncGenerator<Row<Name>[]> {
  let past = [after];
  for (;;) {
    const page = await reads.many(name, { where: {}, orderBy: [key], past, limit: rowsPerPage });
    if (page.length > 0) yield page;
    if (page.length < rowsPerPage) return;
    past = [String(page.at(-1)![key])];
  }
}

async function erase(
  unit: UnitOfWork,
  found: Found,
  associatedId: string | null | undefined,
  beganAt: string,
): Promise<CustomerRow> {
  const { person } = found;
  const { id } = person;
  // Before the search, so that it finds what this writes about the person.
  if (await unit.one('customers', { id })) await closeOneOffBilling(unit, id, id);
  // Searches the records written since the first search.
  await searchTraces(unit, found);
  await searchDeliveries(unit, found);
  await searchRequests(unit, found, { createdAt: { from: beganAt } });
  const customer = await unit.one('customers', { id });
  const before = customer ?? findDeletedCustomer(unit, person);
  if (isErased(before)) return before;
  if (associatedId !== null && associatedId !== undefined && associatedId !== before.associatedId) {
    return refuse('associated_id_mismatch');
  }
  const [active] = await unit.many('subscriptions', {
    where: { customerId: id, cancelledAt: null },
    limit: 1,
  });
  if (active) {
    return refuse('customer_has_subscriptions', { path: 'id', message: `cancel ${active.id} first` });
  }
  const saved = await listSavedMethods(unit, id);
  for (const method of saved) await queueDetachment(unit, method);
  await eraseRecords(unit, found);
  // Cancels open intents; the traces of this contain only erased data.
  await cancelAgreements(unit, { customerId: id }, id);
  for (const method of await listSavedMethods(unit, id)) await markMethodRemoved(unit, method, id);
  const changes = buildErasedCustomer(id);
  return unit.rewrite('customers', before, { ...changes, updatedAt: unit.now }, 'erased');
}

function findDeletedCustomer({ tenant }: UnitOfWork, { id, last }: Person): CustomerRow {
  if (!last) return refuse('customer_not_found');
  return { ...last, id, tenantAlias: tenant.alias } as unknown as CustomerRow;
}

/** Removes what the search index has of a customer; the indexer adds what the erasure left. */
async function removeEntries(unit: UnitOfWork, customerId: string): Promise<void> {
  for (const table of ['paymentMethods', 'intents'] as const) {
    const id = (await unit.many(table, { where: { customerId } })).map((row) => row.id);
    if (id.length > 0) await unit.removeUntraced('searchEntries', { id });
  }
  await unit.removeUntraced('searchEntries', { id: customerId });
}

async function eraseRecords(
  unit: UnitOfWork,
  { person, traces, deliveries, requests }: Found,
): Promise<void> {
  const { id, names } = person;
  for (const method of await unit.many('paymentMethods', { where: { customerId: id } })) {
    await unit.rewrite('paymentMethods', method, buildErasedMethod());
  }
  await removeEntries(unit, id);
  await eraseUsage(unit, id, names);
  await eraseEntitlements(unit, id);
  await unit.removeUntraced('portalSessions', { customerId: id });
  await unit.removeUntraced('customerSessions', { customerId: id });
  await unit.removeUntraced('vatIdChecks', { customerId: id });
  for (const intent of await unit.many('intents', { where: { customerId: id } })) {
    await unit.rewrite('intents', intent, buildErasedIntent(intent));
  }
  for (const subscription of await unit.many('subscriptions', { where: { customerId: id } })) {
    await unit.rewrite('subscriptions', subscription, buildErasedSubscription(subscription));
  }
  // Documents without a record are made from what is erased here.
  await freezeUnkept(unit, id);
  await retainDocuments(unit, id);
  await eraseTexts(unit, id);
  await eraseMails(unit, id);
  await eraseRequests(unit, id);
  await eraseEInvoices(unit, id);
  for (const trace of traces) {
    await unit.updateUntraced('traces', { eventId: trace.eventId }, eraseTrace(trace, id, names));
    await eraseTraced(unit, trace, id);
  }
  for (const delivery of deliveries) await eraseDelivery(unit, delivery);
  for (const idempotencyKey of requests) {
    await unit.removeUntraced('idempotency', { idempotencyKey, field: '' });
    const outcome = encodeRefusal('customer_not_found', 'its customer was erased, and its answer with it');
    await unit.updateUntraced(
      'idempotency',
      { idempotencyKey },
      { outcome, progress: null, claimedUntil: null },
    );
  }
}

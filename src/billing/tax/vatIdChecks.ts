/**
 * Checks of the VAT ids on which reverse charge depends: which ones VIES has to confirm, and when it is asked. It is asked between
 * units of work, because it may take seconds.
 */
import { createHash } from 'node:crypto';
import { findCustomer, type CustomerRow } from '../customers/customers.ts';
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import type { VatIdCheck } from '../../storage/model/common.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { VatIdAnswer } from '../../providers/vies.ts';
import { hourMs, minuteMs, dayMs } from '../../lib/durations.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { findReverseChargeId, type TaxedCustomer } from './resolveRate.ts';
import { keepEvidence } from './vatIdEvidence.ts';

/** VIES limits the questions at once. */
const mostAtOnce = 4;
const mostDue = 50;
/** How many ids of a tenant with a known answer are asked about again in a minute. */
const mostRepeated = 10;
/** A confirmed id is asked about again each quarter: within these days, at a time that differs between customers. */
const [repeatedAfterDays, repeatedWithinDays] = [80, 10];
/** How long a question may take before another server asks it: longer than all that are asked at once. */
const claimedMs = 5 * minuteMs;
const [shortestPauseMs, longestPauseMs] = [5 * minuteMs, 6 * hourMs];
/** How long a draft waits whose customer VIES is to be asked about at once. */
const askingMs = minuteMs;

/** When and why VIES is asked. */
interface Asking {
  /** The time of the bills, which a test clock may have reached before the tenant's record; now by default. */
  now?: string;
  /** Whether somebody asked to repeat a question that had no answer, before it is planned. */
  isRetry?: boolean;
}

/**
 * Asks VIES about customers whose next bill depends on it, unless a recent answer is known. Does nothing, without a query,
 * if the tenant does not check VAT ids.
 */
export async function checkVatIds(
  tenant: SteppedTenant,
  customerIds: string[],
  { now = tenant.now(), isRetry = false }: Asking = {},
): Promise<void> {
  if (!isChecking(tenant) || customerIds.length === 0) return;
  const { record } = tenant;
  const customers = await tenant.primaryReads.many('customers', { where: { id: [...new Set(customerIds)] } });
  const due = customers.filter(
    (customer) => isCheckDue(record, customer, now) || (isRetry && isAwaitingCheck(record, customer)),
  );
  await askAbout(tenant, due);
}

/** Asks VIES about the customers of subscriptions, as `checkVatIds`. */
export async function checkSubscribers(
  tenant: SteppedTenant,
  subscriptionIds: string[],
  asking?: Asking,
): Promise<void> {
  if (!isChecking(tenant) || subscriptionIds.length === 0) return;
  const found = await tenant.primaryReads.many('subscriptions', { where: { id: subscriptionIds } });
  const customerIds = found.map(({ customerId }) => customerId);
  await checkVatIds(tenant, customerIds, asking);
}

/**
 * Asks VIES about the customers whose check is due: at most 50 of whom no answer is known, and again about the ids of at most 10
 * active customers, as far as the server's limit permits. Returns how many ids without an answer were due: the others leave
 * time until the next minute.
 */
export async function checkDueVatIds(tenant: SteppedTenant, now: string): Promise<number> {
  if (!isChecking(tenant)) return 0;
  const list = (vatIdStatus: CheckStatus, limit: number) =>
    tenant.read.many('customers', {
      where: { vatIdStatus, vatIdCheckDueAt: { to: now } },
      orderBy: ['vatIdCheckDueAt', 'id'],
      limit,
    });
  const unknown = await list('unavailable', mostDue);
  const known = [...(await list('invalid', mostRepeated)), ...(await list('valid', mostRepeated))];
  const most = tenant.vatRegister?.takeRepeats(Math.min(known.length, mostRepeated)) ?? 0;
  const due = [...unknown, ...known.slice(0, most)];
  if (due.length > 0) await askAbout(tenant, await claimChecks(tenant, due, now));
  return unknown.length;
}

type CheckStatus = VatIdCheck['status'];

/**
 * Claims due checks, so that one server asks each of them, and drops those that nothing depends on any more. If the server stops
 * before the answer is recorded, they are due again after five minutes.
 */
function claimChecks(tenant: SteppedTenant, due: CustomerRow[], now: string): Promise<CustomerRow[]> {
  return tenant.writeStep(async (unit) => {
    const claimed: CustomerRow[] = [];
    for (const { id } of due) {
      const customer = await unit.one('customers', { id });
      if (!customer?.vatIdCheckDueAt || customer.vatIdCheckDueAt > now) continue;
      const vatId = findVatIdToCheck(unit.tenant, customer);
      const known = vatId === undefined ? undefined : findCheck(customer, vatId);
      const isRepeated = known !== undefined && known.status !== 'unavailable';
      if (vatId === undefined || (isRepeated && !(await isActive(unit, id)))) {
        const vatIdStatus = customer.vatIdCheck?.status ?? null;
        await unit.change('customers', customer, { vatIdCheckDueAt: null, vatIdStatus });
      } else {
        const vatIdCheckDueAt = addMs(now, claimedMs);
        claimed.push(await unit.change('customers', customer, { vatIdCheckDueAt }));
      }
    }
    return claimed;
  });
}

/** Whether a customer has a subscription that is not cancelled. Others are asked about with their next bill. */
const isActive = async (unit: UnitOfWork, customerId: string): Promise<boolean> =>
  (await unit.many('subscriptions', { where: { customerId, cancelledAt: null }, limit: 1 })).length > 0;

/**
 * Asks VIES about a customer's VAT id now, even if an answer is known, and returns the customer; does not ask if no tax
 * depends on it. Errors: `customer_not_found`, `rate_limited`.
 */
export async function checkVatIdNow(tenant: SteppedTenant, customerId: string): Promise<CustomerRow> {
  // Reads within a write, so that a read-only key cannot cause a question.
  const customer = await tenant.writeStep((unit) => unit.one('customers', { id: customerId }));
  if (!customer) return refuse('customer_not_found');
  if (!isChecking(tenant) || findVatIdToCheck(tenant.record, customer) === undefined) return customer;
  await ask(tenant, customer, (vatId, requester) =>
    tenant.vatRegister?.askNow(tenant.alias, vatId, requester),
  );
  return findCustomer(tenant.primaryReads, customerId);
}

const isChecking = ({ record, mayWrite }: SteppedTenant) =>
  mayWrite && record.vatIdCheck !== null && record.seller?.address != null;

async function askAbout(tenant: SteppedTenant, customers: CustomerRow[]): Promise<void> {
  for (let at = 0; at < customers.length; at += mostAtOnce)
    await Promise.all(customers.slice(at, at + mostAtOnce).map((customer) => ask(tenant, customer)));
}

async function ask(
  tenant: SteppedTenant,
  customer: CustomerRow,
  askRegister: (vatId: string, requester?: string) => Promise<VatIdAnswer> | undefined = (...question) =>
    tenant.vatRegister?.ask(...question),
): Promise<void> {
  const vatId = findVatIdToCheck(tenant.record, customer);
  // The seller may have moved since the customer was claimed.
  if (vatId === undefined) return;
  const requester = tenant.record.seller?.taxIds.find(({ type }) => type === 'eu_vat')?.value;
  const answer = await askRegister(vatId, requester);
  await tenant.writeStep((unit) => recordAnswer(unit, customer.id, { vatId, requester }, answer));
}

/**
 * Records what VIES answered, unless the id has changed meanwhile, and keeps it as evidence. A known answer outlasts a failure. After
 * an answer the drafts that waited for it are due.
 */
async function recordAnswer(
  unit: UnitOfWork,
  id: string,
  question: { vatId: string; requester: string | undefined },
  answer: VatIdAnswer | undefined,
): Promise<void> {
  const { vatId: value } = question;
  const customer = await unit.one('customers', { id });
  if (!customer || findVatIdToCheck(unit.tenant, customer) !== value) return;
  const known = findCheck(customer, value);
  if (!answer || answer.status === 'unavailable') {
    const none = { value, status: 'unavailable', checkedAt: unit.now, consultation: null } as const;
    const vatIdCheck = known ?? none;
    const vatIdCheckDueAt = computeNextCheck(vatIdCheck, unit.now);
    await unit.change('customers', customer, { vatIdCheck, vatIdCheckDueAt, vatIdStatus: vatIdCheck.status });
    return;
  }
  const { status, consultation } = answer;
  await keepEvidence(unit, id, question, { ...answer, status });
  const changes = {
    vatIdCheck: { value, status, checkedAt: unit.now, consultation },
    vatIdCheckDueAt: status === 'valid' ? computeRepeat(id, unit.now) : null,
    vatIdStatus: status,
  };
  await unit.change('customers', customer, changes, { action: findEvent(known?.status, status) });
  await releaseDrafts(unit, id);
}

/** Returns the event of an answer that changes the tax of the next bill; undefined for others. */
function findEvent(before: CheckStatus | undefined, status: 'valid' | 'invalid') {
  if (before === status) return undefined;
  if (status === 'invalid') return 'vat_id_invalid';
  return before === 'invalid' ? 'vat_id_valid' : undefined;
}

/** Returns when VIES is asked again about an id that it has confirmed: in a quarter, at a time that depends on the customer. */
function computeRepeat(customerId: string, now: string): string {
  const share = createHash('sha256').update(customerId).digest().readUInt32BE() / 2 ** 32;
  return addMs(now, Math.floor((repeatedAfterDays + share * repeatedWithinDays) * dayMs));
}

/** Returns when VIES is asked again after a failure: the pauses grow with the time since the first one. */
function computeNextCheck({ checkedAt }: VatIdCheck, now: string): string {
  const sinceMs = Date.parse(now) - Date.parse(checkedAt);
  return addMs(now, Math.min(Math.max(sinceMs / 2, shortestPauseMs), longestPauseMs));
}

/** Makes the drafts of a customer due that only wait for VIES. */
async function releaseDrafts(unit: UnitOfWork, customerId: string): Promise<void> {
  const graceMs = (unit.tenant.invoiceGraceHours ?? 0) * hourMs;
  const drafts = await unit.many('invoices', { where: { customerId, status: 'draft' } });
  for (const draft of drafts) {
    const isWaiting = draft.finalizeAt !== null && draft.finalizeAt > unit.now;
    if (isWaiting && addMs(draft.createdAt, graceMs) <= unit.now)
      await unit.change('invoices', draft, { finalizeAt: unit.now });
  }
}

/**
 * Returns the instant until which a bill of a customer is to stay a draft because VIES has not answered; undefined if it
 * need not wait.
 */
export async function findCheckWait(unit: UnitOfWork, customerId: string): Promise<string | undefined> {
  if (unit.tenant.vatIdCheck !== 'draft') return undefined;
  const customer = await unit.one('customers', { id: customerId });
  if (!customer || !isAwaitingCheck(unit.tenant, customer)) return undefined;
  const { vatIdCheckDueAt: dueAt } = customer;
  return dueAt !== null && dueAt > unit.now ? dueAt : addMs(unit.now, askingMs);
}

type Seller = Pick<Row<'tenants'>, 'seller'>;

/** How long VIES is not asked again about an id that it answered about. A known answer counts until another one. */
const askedAgainAfterMs = { valid: 90 * dayMs, invalid: dayMs, unavailable: 0 } as const;

/**
 * Returns the VAT id that makes a customer owe the tax of the seller's bills if it is valid; undefined if no id does, or
 * if the customer or the seller is exempt.
 */
export function findVatIdToCheck({ seller }: Seller, customer: TaxedCustomer): string | undefined {
  if (!seller?.address || seller.taxExemption || customer.taxExempt) return undefined;
  return findReverseChargeId(seller.address, customer);
}

/** Returns the answer of VIES about an id of a customer; undefined if it was asked about another one, or not at all. */
const findCheck = ({ vatIdCheck }: TaxedCustomer, value: string): VatIdCheck | undefined =>
  vatIdCheck?.value === value ? vatIdCheck : undefined;

/** Whether VIES is to be asked about a customer before the next bill. */
function isCheckDue(
  tenant: Seller,
  customer: TaxedCustomer & Pick<Row<'customers'>, 'vatIdCheckDueAt'>,
  now: string,
): boolean {
  const vatId = findVatIdToCheck(tenant, customer);
  if (vatId === undefined) return false;
  const check = findCheck(customer, vatId);
  if (!check) return true;
  if (customer.vatIdCheckDueAt !== null) return customer.vatIdCheckDueAt <= now;
  return addMs(check.checkedAt, askedAgainAfterMs[check.status]) <= now;
}

/** Whether the tax of a customer's bills depends on an answer that VIES has not given. */
function isAwaitingCheck(tenant: Seller, customer: TaxedCustomer): boolean {
  const vatId = findVatIdToCheck(tenant, customer);
  if (vatId === undefined || customer.taxRateId !== null) return false;
  return (findCheck(customer, vatId)?.status ?? 'unavailable') === 'unavailable';
}

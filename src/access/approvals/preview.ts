/** What an operation does, from the records and events of the unit of work that decides it. */
import { createHash } from 'node:crypto';
import { listInvoiceLines } from '../../billing/invoices/invoices.ts';
import { computeOwed, sumBalanceUsed } from '../../billing/payments/returns.ts';
import { sumItems } from '../../billing/pricing/invoiceLines.ts';
import { formatCredits, parseCredits } from '../../billing/pricing/creditUnits.ts';
import { toMinor } from '../../lib/money.ts';
import type { ActionAmount, ActionAmountKind, ActionPreview } from '../../storage/model/approvals.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { ChangedRecord } from '../../tenancy/changedRecords.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

type Event = Row<'traces'>;

/** An amount in minor units of a currency, or in millionths of a credit of a type. */
interface Amount {
  kind: ActionAmountKind;
  minor: bigint;
  currency: string;
  creditTypeId?: string;
}

/** A preview lists at most this many changes; its version counts them all. */
const mostChanges = 100;
const versionCharacters = 20;

/** Returns what a unit has done so far. The requests for actions themselves are no part of it. */
export async function describeUnit(unit: UnitOfWork): Promise<ActionPreview> {
  const events = unit.events.filter(({ activityType }) => activityType !== 'ActionRequestEvent');
  // A payment is created by another action than `created`.
  const created = new Set<string>();
  for (const { before, after } of unit.changed.list('payments')) if (!before) created.add(after.id);
  const changes = events.map(({ activityType, payload }) => {
    const { action, resourceId: id } = payload as { action: string; resourceId: string };
    if (action === 'created') created.add(id);
    return { activityType, action, resourceId: created.has(id) ? null : id };
  });
  const found = [
    ...(await listCharges(unit, events, created)),
    ...events.flatMap(listCredits),
    ...unit.changed.list('payments').flatMap(listPayments),
    ...unit.changed.list('creditNotes').flatMap(listNotes),
    ...unit.changed.list('invoices').flatMap(compareInvoice),
    ...(await listBalanceUsed(unit)),
    ...unit.changed.list('subscriptions').flatMap(compareSubscription),
  ];
  const amounts = sumAmounts(found);
  const hash = createHash('sha256').update(JSON.stringify([amounts, changes]));
  return {
    version: hash.digest('hex').slice(0, versionCharacters),
    amounts,
    changes: changes.slice(0, mostChanges),
  };
}

/** Returns the customer whom the events of a unit concern; null if they concern none or several. */
export function findConcerned({ events }: UnitOfWork): string | null {
  const [first, ...others] = new Set(events.flatMap(({ customerId }) => customerId ?? []));
  return others.length === 0 ? (first ?? null) : null;
}

/**
 * Lists what the unit charges: the intents that it has created, which the next step pays, and the lines that wait for an invoice.
 */
async function listCharges(unit: UnitOfWork, events: Event[], created: Set<string>): Promise<Amount[]> {
  const listCreated = (type: string) =>
    events.flatMap(({ activityType, resourceId: id }) =>
      activityType === type && id !== null && created.delete(id) ? [id] : [],
    );
  const amounts: Amount[] = [];
  for (const id of listCreated('IntentEvent')) {
    const { dueMinor, currency, status, balanceMinor } = (await unit.one('intents', { id }))!;
    if (dueMinor !== null) amounts.push({ kind: 'charge', minor: dueMinor, currency });
    // A paid intent has an invoice, whose lines say it.
    if (status !== 'succeeded') amounts.push({ kind: 'from_balance', minor: balanceMinor ?? 0n, currency });
  }
  for (const id of listCreated('InvoiceItemEvent')) {
    const item = await unit.one('invoiceItems', { id });
    if (item?.invoiceId === null)
      amounts.push({ kind: 'next_invoice', minor: item.amountMinor, currency: item.currency });
  }
  return amounts;
}

/** Lists the credit that an event of a customer grants or voids. */
function listCredits({ activityType, payload }: Event): Amount[] {
  const { action: kind, details } = payload as { action: string; details?: Record<string, unknown> };
  if (activityType !== 'CustomerEvent' || (kind !== 'credit_granted' && kind !== 'credit_voided')) return [];
  const { amount, credits, currency, creditTypeId } = details as {
    amount?: number;
    credits?: string;
    currency: string;
    creditTypeId?: string;
  };
  const minor = credits === undefined ? toMinor(amount!, currency, 'amount') : parseCredits(credits)!;
  return [{ kind, minor, currency, creditTypeId }];
}

function listPayments({ before, after }: ChangedRecord<'payments'>): Amount[] {
  const { kind, amountMinor: minor, toBalanceMinor, currency } = after;
  if (before || after.status === 'failed') return [];
  if (kind === 'charge') return [{ kind: 'payment', minor, currency }];
  return [
    { kind: 'refund', minor, currency },
    { kind: 'to_balance', minor: toBalanceMinor ?? 0n, currency },
  ];
}

const listNotes = ({ before, after }: ChangedRecord<'creditNotes'>): Amount[] =>
  before ? [] : [{ kind: 'credit_note', minor: after.totalMinor, currency: after.currency }];

const isIssued = ({ before, after }: ChangedRecord<'invoices'>): boolean =>
  !before || (before.status === 'draft' && after.status !== 'draft');

/** Lists what the balances of customers pay of the invoices that the unit issues or finalizes. */
async function listBalanceUsed(unit: UnitOfWork): Promise<Amount[]> {
  const amounts: Amount[] = [];
  for (const changed of unit.changed.list('invoices').filter(isIssued)) {
    const minor = sumBalanceUsed(await listInvoiceLines(unit, changed.after));
    amounts.push({ kind: 'from_balance', minor, currency: changed.after.currency });
  }
  return amounts;
}

function compareInvoice(changed: ChangedRecord<'invoices'>): Amount[] {
  const { before, after } = changed;
  const { status, currency, totalMinor: minor } = after;
  if (!before || isIssued(changed)) return [{ kind: 'invoice', minor, currency }];
  if (before.status === status) return [];
  if (status === 'void') return [{ kind: 'voided', minor: computeOwed(before), currency }];
  return status === 'uncollectible' ? [{ kind: 'uncollectible', minor: computeOwed(before), currency }] : [];
}

/** Compares what a subscription bills for a period, before tax and discounts; nothing once it is cancelled. */
function compareSubscription({ before, after }: ChangedRecord<'subscriptions'>): Amount[] {
  const { currency } = after;
  const earlier = !before || before.cancelledAt !== null ? 0n : sumItems(before);
  const later = after.cancelledAt !== null || after.cancelAtPeriodEnd ? 0n : sumItems(after);
  if (earlier === later) return [];
  return [
    { kind: 'recurring_before', minor: earlier, currency },
    { kind: 'recurring_after', minor: later, currency },
  ];
}

/** Adds up the amounts of each kind and unit, in the order in which they were found; those of 0 say nothing. */
function sumAmounts(amounts: Amount[]): ActionAmount[] {
  const sums = new Map<string, Amount>();
  for (const amount of amounts) {
    const key = `${amount.kind} ${amount.creditTypeId ?? amount.currency}`;
    sums.set(key, { ...amount, minor: amount.minor + (sums.get(key)?.minor ?? 0n) });
  }
  return [...sums.values()]
    .filter(({ minor }) => minor !== 0n)
    .map(({ kind, minor, currency, creditTypeId }) =>
      creditTypeId === undefined
        ? { kind, amountMinor: String(minor), currency }
        : { kind, credits: formatCredits(minor), creditTypeId },
    );
}

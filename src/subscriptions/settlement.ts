import { grantCredit } from '../billing/balances.ts';
import { agreementColumns } from '../billing/cycles.ts';
import { issueInvoice, settleInvoice, totalOf, voidInvoice, type InvoiceRow } from '../billing/invoices.ts';
import { recordTry } from '../billing/payments.ts';
import { dueAtOf } from '../billing/paymentTerms.ts';
import { periodLine, type Line } from '../billing/periods.ts';
import { releaseSubscription } from '../billing/expiry.ts';
import type { Reads } from '../db/store.ts';
import { refuse } from '../errors.ts';
import type { Outcome } from '../payments/provider.ts';
import type { Unit } from '../tenants/unit.ts';
import { findIntent, type IntentRow } from './intents.ts';
import { isProrated, planChangeOf, type PlanChange } from './planChanges.ts';
import { startSubscription, subscriptionToChange, type SubscriptionRow } from './subscriptions.ts';

/** What an intent owes when its payment starts: for a new subscription, or for a change of plan. */
export interface FirstBill {
  lines: Line[];
  totalMinor: bigint;
  /** The change of plan, where it is one. */
  change?: PlanChange;
  subscription?: SubscriptionRow;
}

/** Marks an intent as being paid with a method. What it owes is fixed by this moment. */
export async function beginPayment(
  unit: Unit,
  id: string,
  method: string,
  provider: string,
): Promise<IntentRow> {
  const intent = await findIntent(unit, id, unit.now);
  if (intent.status !== 'requires_payment_method') refuseStatus(intent);
  await refuseIfPaidElsewhere(unit, intent);
  const { changed, reckoning } = await reckoningAt(unit, intent, unit.now);
  const { totalMinor } = await billOf(unit, intent, unit.tenant.timezone, reckoning);
  const begun = await unit.change(
    'intents',
    intent,
    {
      status: 'processing',
      attempts: intent.attempts + 1,
      paymentMethod: method,
      provider,
      failureReason: null,
      dueMinor: totalMinor,
      askedAt: unit.now,
      ...reckoning,
    },
    { action: 'payment_started' },
  );
  if (changed) await unit.change('subscriptions', changed, { changingIntentId: id });
  return begun;
}

/** What of an intent decides what it owes. */
type Reckoning = Pick<IntentRow, 'paymentStartedAt' | 'changesSubscriptionId' | 'prorated'>;

/** What decides what an intent owes, for a payment that starts at an instant. Error: `subscription_exists`. */
async function reckoningAt(
  reads: Reads,
  intent: IntentRow,
  at: string,
): Promise<{ changed?: SubscriptionRow; reckoning: Reckoning }> {
  const { customerId, productId: id, groupId } = intent;
  const changed = await subscriptionToChange(reads, customerId, { id, groupId });
  if (changed && intent.startDate && intent.startDate > at) {
    refuse('subscription_exists', { path: 'id', message: 'starts later, and would now be a change of plan' });
  }
  const reckoning = {
    paymentStartedAt: at,
    changesSubscriptionId: changed?.id ?? null,
    prorated: await isProrated(reads, intent),
  };
  return { changed, reckoning };
}

/**
 * What an intent would owe if its payment started at an instant: what a payer is shown before they pay. Errors:
 * `subscription_exists`, `subscription_not_active`, `currency_mismatch`.
 */
export async function billAt(
  reads: Reads,
  intent: IntentRow,
  at: string,
  timezone: string,
): Promise<FirstBill> {
  const { reckoning } = await reckoningAt(reads, intent, at);
  return billOf(reads, intent, timezone, reckoning);
}

/** Refuses to go on with an intent in its present status. Error: `intent_not_payable`. */
export function refuseStatus({ status }: IntentRow): never {
  return refuse('intent_not_payable', { path: 'id', message: `is ${status}` });
}

/** Two intents for one thing must not both be paid. */
async function refuseIfPaidElsewhere(unit: Unit, { id, customerId, productId, groupId }: IntentRow) {
  const underWay = await unit.many('intents', {
    where: { customerId, status: ['processing', 'requires_action'] },
  });
  const rival = underWay.some(
    (other) => other.id !== id && (other.productId === productId || (groupId && other.groupId === groupId)),
  );
  if (rival)
    refuse('intent_not_payable', { path: 'id', message: 'another intent for the same is being paid' });
}

/** What the intent owes, reckoned for the moment its payment started: the same whenever it is asked. */
async function billOf(
  reads: Reads,
  intent: IntentRow,
  timezone: string,
  { paymentStartedAt, changesSubscriptionId, prorated }: Reckoning = intent,
): Promise<FirstBill> {
  const at = paymentStartedAt!;
  if (changesSubscriptionId) {
    const subscription = (await reads.one('subscriptions', { id: changesSubscriptionId }))!;
    const change = planChangeOf(subscription, intent, at, prorated, timezone);
    return { lines: change.lines, totalMinor: change.totalMinor, change, subscription };
  }
  // A start that lies ahead is billed then; now the method is only kept.
  if (intent.startDate && intent.startDate > at) return { lines: [], totalMinor: 0n };
  const { line } = periodLine(intent, intent.executionDate, intent.startDate ?? at, timezone);
  return { lines: [line], totalMinor: totalOf([line]) };
}

/**
 * Keeps what became of an intent's payment. Success starts the subscription, or changes it, in this unit; a
 * decline leaves the intent to be paid with another method. Answers undefined for an intent that is not being paid.
 */
export async function settlePayment(
  unit: Unit,
  intent: IntentRow,
  outcome: Outcome & { receivedAt?: string },
): Promise<IntentRow | undefined> {
  if (intent.status !== 'processing' && intent.status !== 'requires_action') return undefined;
  if (outcome.status === 'succeeded') return succeed(unit, intent, outcome);
  if (outcome.status === 'declined') return decline(unit, intent, outcome.reason);
  if (outcome.status === 'pending') return awaitMoney(unit, intent, outcome.reference);
  const { reference, actionUrl } = outcome;
  const asked = { status: 'requires_action' as const, paymentReference: reference, actionUrl, askedAt: null };
  return unit.change('intents', intent, asked, { action: 'action_required' });
}

async function decline(unit: Unit, intent: IntentRow, reason: string): Promise<IntentRow> {
  const { totalMinor } = await billOf(unit, intent, unit.tenant.timezone);
  const back = {
    status: 'requires_payment_method' as const,
    failureReason: reason,
    actionUrl: null,
    askedAt: null,
  };
  const declined = await unit.change('intents', intent, back, { action: 'payment_failed' });
  await recordTry(unit, { ...tryOf(intent, totalMinor), status: 'failed', failureReason: reason }, intent.id);
  // Money that was on its way, such as a bank debit, does not come: the next try has an invoice of its own.
  const awaited = await unit.one('invoices', { intentId: intent.id, status: 'open' });
  if (awaited) await voidInvoice(unit, awaited, 'void', intent.id);
  await releaseSubscription(unit, intent);
  return declined;
}

const tryOf = (intent: IntentRow, amountMinor: bigint) => ({
  kind: 'charge' as const,
  customerId: intent.customerId,
  provider: intent.provider!,
  amountMinor,
  currency: intent.currency,
  intentId: intent.id,
});

/** The invoice is issued at once, for the money to be recorded on. */
async function awaitMoney(unit: Unit, intent: IntentRow, reference: string | null): Promise<IntentRow> {
  const earlier = await unit.one('invoices', { intentId: intent.id, status: 'open' });
  const bill = await billOf(unit, intent, unit.tenant.timezone);
  const isDue = bill.totalMinor > 0n && !earlier;
  const dueAt = reference === null ? dueAtOf(unit) : null;
  if (isDue) await issueFirst(unit, intent, bill, intent.changesSubscriptionId, dueAt);
  // What a provider knows of is asked about again; what an operator waits for is nobody's to ask about.
  const askedAt = reference === null ? null : unit.now;
  return unit.change('intents', intent, { status: 'processing', paymentReference: reference, askedAt });
}

function issueFirst(
  unit: Unit,
  intent: IntentRow,
  { lines }: FirstBill,
  subscriptionId: string | null,
  dueAt: string | null = null,
) {
  const [first] = lines;
  return issueInvoice(
    unit,
    {
      customerId: intent.customerId,
      subscriptionId,
      intentId: intent.id,
      billingReason: intent.changesSubscriptionId ? 'plan_change' : 'subscription_start',
      productName: intent.productName,
      currency: intent.currency,
      period: { start: first!.periodStart, end: first!.periodEnd },
      lines,
      dueAt,
    },
    subscriptionId ?? intent.id,
  );
}

type Paid = {
  reference: string;
  methodReference: string;
  /** When money that an operator records had come in. */
  receivedAt?: string;
};

async function succeed(unit: Unit, intent: IntentRow, paid: Paid): Promise<IntentRow> {
  const bill = await billOf(unit, intent, unit.tenant.timezone);
  const subscriptionId = intent.changesSubscriptionId ?? unit.id('sub');
  const done = { status: 'succeeded' as const, subscriptionId, actionUrl: null, askedAt: null };
  const succeeded = await unit.change('intents', intent, done, { action: 'succeeded' });
  const method = await unit.addPart('paymentMethods', {
    id: unit.id('pm'),
    customerId: intent.customerId,
    provider: intent.provider!,
    reference: paid.methodReference,
    createdAt: unit.now,
  });
  if (bill.change) await changePlan(unit, succeeded, bill.subscription!, bill.change, method.id);
  else await startSubscription(unit, succeeded, bill.lines[0], method.id);
  if (bill.lines.length > 0) await settleFirst(unit, succeeded, bill, subscriptionId, paid);
  return succeeded;
}

async function settleFirst(
  unit: Unit,
  intent: IntentRow,
  bill: FirstBill,
  subscriptionId: string,
  paid: Paid,
): Promise<void> {
  const awaited = await unit.one('invoices', { intentId: intent.id, status: 'open' });
  const invoice = awaited
    ? await unit.change('invoices', awaited, { subscriptionId }, { because: intent.id })
    : await issueFirst(unit, intent, bill, subscriptionId);
  const because = invoice.totalMinor > 0n ? await recordPaid(unit, intent, invoice, paid) : intent.id;
  await settleInvoice(unit, invoice, because);
  if (bill.change && bill.change.creditMinor > 0n) await grantCredit(unit, invoice, bill.change.creditMinor);
}

async function recordPaid(
  unit: Unit,
  intent: IntentRow,
  invoice: InvoiceRow,
  { reference, receivedAt }: Paid,
): Promise<string> {
  const paid = { ...tryOf(intent, invoice.totalMinor), status: 'succeeded' as const };
  const payment = await recordTry(unit, { ...paid, invoiceId: invoice.id, reference, receivedAt }, intent.id);
  return payment.id;
}

/** An upgrade takes effect here; a downgrade waits for the next period. */
async function changePlan(
  unit: Unit,
  intent: IntentRow,
  subscription: SubscriptionRow,
  change: PlanChange,
  paymentMethodId: string,
): Promise<SubscriptionRow> {
  const kept = { paymentMethodId, changingIntentId: null, cancelAtPeriodEnd: false };
  if (change.kind === 'downgrade') {
    const later = { ...kept, nextIntentId: intent.id };
    return unit.change('subscriptions', subscription, later, {
      action: 'downgrade_scheduled',
      because: intent.id,
    });
  }
  const cycle = change.lines.find(({ kind }) => kind === 'CYCLE');
  return unit.change(
    'subscriptions',
    subscription,
    {
      ...kept,
      ...agreementColumns(intent),
      nextIntentId: null,
      anchor: change.anchor,
      nextBillingDate: change.nextBillingDate,
      dueAt: change.nextBillingDate,
      currentPeriodStart: cycle?.periodStart ?? subscription.currentPeriodStart,
      currentPeriodEnd: change.nextBillingDate,
      billedCount: subscription.billedCount + (cycle ? 1 : 0),
    },
    { action: 'upgraded', because: intent.id },
  );
}

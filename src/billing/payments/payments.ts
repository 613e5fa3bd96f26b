import type { MaybePromise } from '../../lib/maybePromise.ts';
import type { DeclineCode } from '../../lib/declineCodes.ts';
import { refuse } from '../../lib/errors.ts';
import type { TextMetadata } from '../../storage/model/common.ts';
import { findDeclineCode } from '../../providers/declines.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Outcome } from '../../providers/provider.ts';
import type { EventAction } from '../../tenancy/traces/eventTypes.ts';
import type { Reads } from '../../storage/store.ts';
import type { Match } from '../../storage/query/queries.ts';
import { readCreatedPage, type CreatedRange, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import { buildListSearch } from '../../tenancy/searchedList.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { describeAmount, matchAmount, type AmountFilter } from './amountFilter.ts';
import { computeOwed } from './returns.ts';

type PaymentRow = Row<'payments'>;

/** The sum of an attempt to move money, and between whom. */
interface Movement {
  customerId: string;
  provider: string;
  amountMinor: bigint;
  currency: string;
  metadata: TextMetadata | null;
}

/** A charge before its result is known. It pays an intent, an invoice, or the first invoice of an intent. */
export type AttemptedCharge = Movement & { kind: 'charge' } & (
    { intentId: string; invoiceId?: string } | { invoiceId: string; intentId?: undefined }
  );

/** A charge with its result. One that brought another sum than was asked for succeeds with a `failureReason`. */
type ChargeAttempt = AttemptedCharge &
  (
    | { status: 'pending' }
    | { status: 'succeeded'; reference: string | null; receivedAt?: string; failureReason?: string }
    | DeclinedCharge
  );

/** What a charge that was declined records: the provider's reason, and the code that it means. */
export type DeclinedCharge = { status: 'failed'; failureReason: string; declineCode: DeclineCode };

/** A refund or a dispute of a charge. `reference` is absent until the provider has made the refund. */
type Reversal = Movement &
  Pick<PaymentRow, 'invoiceId' | 'intentId'> & { chargeId: string; reference?: string };

type RefundAttempt = Reversal & {
  kind: 'refund';
  status: PaymentRow['status'];
  failureReason?: string;
  toBalanceMinor?: bigint;
};

type DisputeAttempt = Reversal & {
  kind: 'dispute';
  status: PaymentRow['status'];
} & Pick<PaymentRow, 'disputeStatus' | 'disputeReason' | 'evidenceDueAt'>;

/** An attempt to move money, with the provider's result. */
type PaymentAttempt = ChargeAttempt | RefundAttempt | DisputeAttempt;

type PaymentAction = EventAction<'PaymentEvent'>;

/** Records an attempt as one PaymentEvent, with the id of the record it pays for as its cause. */
export function recordAttempt(
  unit: UnitOfWork,
  attempt: PaymentAttempt,
  causedBy: string,
  action: PaymentAction = attempt.kind === 'charge' ? attempt.status : `refund_${attempt.status}`,
): MaybePromise<PaymentRow> {
  return unit.create(
    'payments',
    { id: unit.id('pay'), ...attempt, createdAt: unit.now },
    { action, causedBy },
  );
}

/**
 * Records the charge in progress of an invoice as pending, because the invoice is being closed. Reconciliation asks the
 * provider until the outcome is known, and refunds the money if the charge succeeded.
 */
export async function markChargePending(unit: UnitOfWork, invoice: Row<'invoices'>): Promise<void> {
  const {
    id: invoiceId,
    chargeStartedAt,
    chargeProvider: provider,
    customerId,
    currency,
    metadata,
  } = invoice;
  if (chargeStartedAt === null || provider === null) return;
  const pending = {
    kind: 'charge' as const,
    status: 'pending' as const,
    amountMinor: computeOwed(invoice),
    invoiceId,
  };
  await recordAttempt(unit, { ...pending, customerId, provider, currency, metadata }, invoiceId);
}

/** What an intent records of its payment until it is declined. */
export const notDeclined = { failureReason: null, declineCode: null };

/** Returns what a charge records that a provider declined for a reason. */
export const describeDecline = (provider: string, failureReason: string): DeclinedCharge => ({
  status: 'failed',
  failureReason,
  declineCode: findDeclineCode(provider, failureReason),
});

/**
 * Returns why an attempt failed. An absent payer cannot confirm a payment, so a required confirmation counts as a
 * decline.
 */
export const getFailureReason = (outcome: Outcome) =>
  outcome.status === 'declined' ? outcome.reason : 'action_required';

/** Refuses because a provider declined a charge for a reason. Error: `payment_failed`. */
export function refuseDeclined(path: string, provider: string, reason: string): never {
  return refuse('payment_failed', { path, message: reason, declineCode: findDeclineCode(provider, reason) });
}

/**
 * Refuses if the attempt that a request made or joined was declined; `before` is the invoice as the request found it. An
 * invoice that waits for money stays open. Error: `payment_failed`.
 */
export async function refuseDecline(
  reads: Reads,
  { id, attempts, chargeStartedAt }: Row<'invoices'>,
  before: Row<'invoices'>,
): Promise<void> {
  const joined = before.chargeStartedAt === null ? before.attempts + 1 : before.attempts;
  // A later attempt begins only after a decline.
  if (chargeStartedAt !== null && attempts <= joined) return;
  const [latest] = await reads.many('payments', {
    where: { invoiceId: id },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: 1,
  });
  if (latest?.status === 'failed') refuseDeclined('id', latest.provider, latest.failureReason ?? 'declined');
}

interface PaymentFilter extends AmountFilter {
  customerId?: string | null;
  kind?: PaymentRow['kind'] | null;
  status?: PaymentRow['status'] | null;
  declineCode?: DeclineCode | null;
  /** Of disputes only. */
  disputeStatus?: PaymentRow['disputeStatus'];
  search?: string | null;
}

/**
 * Lists the tenant's payments; newest first by default. Errors: `validation_failed`, `cursor_invalid`, `query_timeout`,
 * those of `matchAmount`.
 */
export function listPayments(
  tenant: TenantScope,
  { customerId, kind, status, declineCode, disputeStatus, search: text, ...amounts }: PaymentFilter,
  args: PageArgs & CreatedRange,
): Promise<Page<PaymentRow>> {
  const conditions: Match<'payments'> = {
    kind: kind ?? undefined,
    status: status ?? undefined,
    declineCode: declineCode ?? undefined,
    disputeStatus: disputeStatus ?? undefined,
  };
  const matched = matchAmount(amounts);
  const byAmount = { currency: matched.currency, amountMinor: matched.amount };
  const { indexed, filter } = chooseIndex(customerId ?? undefined, { ...conditions, ...byAmount });
  const request = { customerId, ...conditions, amount: describeAmount(matched) };
  const search = buildListSearch(text);
  const list = { name: 'payments', table: 'payments', where: indexed, filter, request, search } as const;
  return readCreatedPage(tenant, list, args);
}

/** Chooses the conditions that an index serves, those that few payments meet first; the others filter what it finds. */
function chooseIndex(
  customerId: string | undefined,
  { kind, status, declineCode, ...others }: Match<'payments'>,
): { indexed: Match<'payments'>; filter: Match<'payments'> } {
  if (customerId !== undefined)
    return { indexed: { customerId }, filter: { kind, status, declineCode, ...others } };
  if (declineCode !== undefined) return { indexed: { declineCode }, filter: { kind, status, ...others } };
  if (kind === 'dispute')
    return { indexed: { kind: { inIndex: 'payments_disputes' } }, filter: { status, ...others } };
  if (status === 'pending' || status === 'failed')
    return { indexed: { status: { inIndex: `payments_${status}` } }, filter: { kind, ...others } };
  if (kind === 'refund')
    return { indexed: { kind: { inIndex: 'payments_refunds' } }, filter: { status, ...others } };
  return { indexed: {}, filter: { kind, status, ...others } };
}

/** Returns the payment with this id. Error: `payment_not_found`. */
export const findPayment = async (reads: Reads, id: string): Promise<PaymentRow> =>
  (await reads.one('payments', { id })) ?? refuse('payment_not_found');

import type { FastifyReply } from 'fastify';
import { isUnusableCode } from '../../billing/discounts/codeAttempts.ts';
import { BillingError } from '../../lib/errors.ts';
import { checkPayer } from '../../billing/subscriptions/intents/confirmation.ts';
import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import { previewFirstBill, type FirstBill } from '../../billing/subscriptions/intents/firstBill.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { PageContent } from '../shared/components.ts';
import { findUsedMethod, listCardNeeds } from '../shared/cardForm.ts';
import type { PageNeeds } from '../shared/headers.ts';
import { listGrantParts } from '../shared/grantRows.ts';
import { chooseReaderLanguage, writeFormToken } from '../shared/visit.ts';
import { findCodeField } from './code.ts';
import { findDetailsForm, type RefusedDetails } from './details.ts';
import { isWebUrl, getScheme } from './addresses.ts';
import { hasOtherMethods, listMethods } from './methods.ts';
import {
  renderActionPage,
  renderEndedPage,
  renderUnpayablePage,
  renderPaidPage,
  renderPayPage,
  renderProcessingPage,
  type PayVisit,
  type View,
} from './pages.ts';
import { describeTerms } from './terms.ts';
import type { TextKey } from './texts.ts';
import { listUsedDiscounts } from '../../billing/pricing/discounts.ts';
import type { Line } from '../../billing/pricing/invoiceLines.ts';
import type { Reads } from '../../storage/store.ts';

/** The status and notice of a page, where the intent alone does not determine them. */
interface PageOptions {
  status?: number;
  notice?: TextKey;
  /** When the request may be repeated, which the notice says. */
  retryAfterSeconds?: number;
  /** The details of the invoice that were refused. */
  refused?: RefusedDetails;
}

const gone = 410;
const conflict = 409;

/** Sends the page for the intent's current status. */
export async function showIntent(
  visit: PayVisit,
  intent: IntentRow,
  options: PageOptions = {},
): Promise<FastifyReply> {
  const customer = await visit.tenant.read.one('customers', { id: intent.customerId });
  chooseReaderLanguage(visit, customer?.locale ?? null);
  if (intent.status === 'requires_payment_method') return showPayable(visit, intent, options, customer);
  const { status = 200, refused } = options;
  const details = await findDetailsForm(visit.tenant, intent, refused);
  const view = { ...buildView(visit, intent, options), details };
  if (intent.status === 'requires_action') {
    const url =
      visit.query.get('to') === 'bank' && isWebUrl(intent.actionUrl)
        ? new URL(intent.actionUrl).href
        : undefined;
    return send(view, status, renderActionPage(view), url);
  }
  if (intent.status === 'processing') {
    const [awaited] = await visit.tenant.read.many('invoices', {
      where: { intentId: intent.id, status: 'open' },
    });
    const page = renderProcessingPage(view, awaited && { invoice: awaited, tenant: visit.tenant.record });
    return send(view, status, page);
  }
  if (intent.status === 'succeeded') return send(view, status, renderPaidPage(view));
  return send(view, status === 200 ? gone : status, renderEndedPage(view));
}

async function showPayable(
  visit: PayVisit,
  intent: IntentRow,
  options: PageOptions,
  customer: Row<'customers'> | undefined,
): Promise<FastifyReply> {
  const { tenant } = visit;
  const { status = 200, refused } = options;
  const bill = await computeBillOrError(visit, intent);
  const code = await findCodeField(tenant, intent);
  if (bill instanceof BillingError) {
    const view = buildView(visit, intent, options);
    // A code that can no longer be redeemed can be removed.
    if (isUnusableCode(bill)) view.code = code;
    const page = renderUnpayablePage(view, describeObstacle(bill));
    return send(view, status === 200 ? conflict : status, page);
  }
  const details = await findDetailsForm(tenant, intent, refused);
  const view = { ...buildView(visit, intent, options, bill.totalMinor), code, details };
  const methods = await listMethods(tenant);
  const hasOthers = await hasOtherMethods(tenant);
  const discountNames = await nameDiscounts(tenant.read, intent, bill.lines);
  const grants = await listGrantParts(tenant.read, bill.lines);
  const order = { intent, bill, timeZone: tenant.record.timezone };
  const terms = describeTerms(visit, order, { discountNames, grants });
  if (methods.length === 0 && terms.freeAction === undefined) {
    return send(view, status, renderUnpayablePage(view, hasOthers ? 'cardOnly' : 'noMethods'));
  }
  const page = renderPayPage(view, terms, {
    methods,
    chosen: findUsedMethod(methods, intent.failureReason === null ? null : intent.paymentMethod),
    dueMinor: bill.totalMinor,
    firstName: customer?.firstName,
    hasOtherMethods: hasOthers,
  });
  return send(view, status, page, undefined, listCardNeeds(methods));
}

/** Computes the first bill of the intent for a payment now, or returns the error that prevents the payment. */
async function computeBillOrError(
  { tenant }: PayVisit,
  intent: IntentRow,
): Promise<FirstBill | BillingError> {
  try {
    return await previewFirstBill(tenant.read, intent, tenant.now(), tenant.record);
  } catch (error) {
    if (error instanceof BillingError && error.status === conflict) return error;
    throw error;
  }
}

function describeObstacle(error: BillingError): TextKey {
  const { reason } = error;
  if (isUnusableCode(error)) return 'codeObstacle';
  if (reason === 'subscription_exists') return 'existsObstacle';
  if (reason === 'currency_mismatch') return 'currencyObstacle';
  return reason === 'intent_not_payable' ? 'saleObstacle' : 'changeObstacle';
}

/**
 * Returns whether the payer would be charged more than the page showed. The prorated amount of a plan change varies
 * with time, so an increase of up to 1% is accepted.
 */
export async function hasAmountIncreased(
  visit: PayVisit,
  intent: IntentRow,
  shownMinor: bigint,
): Promise<boolean> {
  // The payment will ask VIES as well; its answer may raise the tax.
  await checkPayer(visit.tenant, intent.id);
  const bill = await computeBillOrError(visit, intent);
  return !(bill instanceof BillingError) && bill.totalMinor * 100n > shownMinor * 101n;
}

function buildView(
  visit: PayVisit,
  intent: IntentRow,
  { notice, retryAfterSeconds = 0 }: PageOptions,
  shownMinor = 0n,
): View {
  const { say, formats } = visit;
  return {
    visit,
    intent,
    token: writeFormToken(visit, intent.id, shownMinor),
    notice: notice && say(notice, { when: formats.wait(retryAfterSeconds) }),
  };
}

function send(
  { visit, intent }: View,
  status: number,
  content: PageContent,
  forwardTo?: string,
  needs: PageNeeds = {},
): FastifyReply {
  const formSchemes = [intent.receiptUrl, intent.returnUrl].filter((url) => url !== null).map(getScheme);
  return visit.send(content, { status, needs: { ...needs, formSchemes }, forwardTo });
}

/**
 * Returns the names of the discounts on lines, as a payer knows them: the code that was entered, otherwise the name of the
 * coupon. The discount that the intent redeems has no id yet.
 */
async function nameDiscounts(reads: Reads, intent: IntentRow, lines: Line[]): Promise<Map<string, string>> {
  const used = listUsedDiscounts(lines);
  if (used.length === 0) return new Map();
  const given = await reads.many('discounts', { where: { id: used.filter((id) => id !== '') } });
  const named = new Map<string, string>();
  for (const discount of given) named.set(discount.id, await findName(reads, discount));
  if (used.includes('')) named.set('', await findName(reads, intent));
  return named;
}

async function findName(
  reads: Reads,
  { couponId, promotionCodeId }: Pick<Row<'intents'>, 'couponId' | 'promotionCodeId'>,
): Promise<string> {
  if (promotionCodeId !== null) return (await reads.one('promotionCodes', { id: promotionCodeId }))!.code;
  return (await reads.one('coupons', { id: couponId! }))!.name;
}

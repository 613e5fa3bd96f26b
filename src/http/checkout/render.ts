import type { FastifyReply } from 'fastify';
import { BillingError } from '../../lib/errors.ts';
import { checkPayer } from '../../subscriptions/confirmation.ts';
import type { IntentRow } from '../../subscriptions/intents.ts';
import { previewFirstBill, type FirstBill } from '../../subscriptions/firstBill.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { PageContent } from '../pages/components.ts';
import { writeToken } from '../pages/csrf.ts';
import type { Page } from '../pages/layout.ts';
import { findCodeField, isUnusableCode } from './code.ts';
import { findDetailsForm, type RefusedDetails } from './details.ts';
import { nameDiscounts } from './discounts.ts';
import { isWebUrl, getScheme } from './addresses.ts';
import { hasOtherMethods, listMethods } from './methods.ts';
import {
  renderActionPage,
  renderEndedPage,
  renderUnpayablePage,
  renderPaidPage,
  renderPayPage,
  renderProcessingPage,
  type View,
} from './pages.ts';
import { describeTerms } from './terms.ts';

/** One request of a payer's browser. */
export interface Visit {
  tenant: TenantScope;
  intentId: string;
  /** The path of the intent's page. */
  path: string;
  nowMs: number;
  form: URLSearchParams;
  /** Whether the form was sent by a page of this server. */
  isSameOrigin: boolean;
  /** Whether the page redirects to the payer's bank automatically. */
  redirectsToBank: boolean;
  /** Sends a page; `schemes` are those of the addresses that its forms redirect to. */
  send: (status: number, page: Page, schemes: string[]) => FastifyReply;
  redirect: (url: string) => FastifyReply;
}

/** The status and notice of a page, where the intent alone does not determine them. */
interface PageOptions {
  status?: number;
  notice?: string;
  /** The details of the invoice that were refused. */
  refused?: RefusedDetails;
}

const gone = 410;
const conflict = 409;
const refreshSeconds = 5;

/** Sends the page for the intent's current status. */
export async function showIntent(
  visit: Visit,
  intent: IntentRow,
  options: PageOptions = {},
): Promise<FastifyReply> {
  if (intent.status === 'requires_payment_method') return showPayable(visit, intent, options);
  const { status = 200, notice, refused } = options;
  const details = await findDetailsForm(visit.tenant, intent, refused);
  const view = { ...buildView(visit, intent, notice, 0n), details };
  if (intent.status === 'requires_action') {
    const url =
      visit.redirectsToBank && isWebUrl(intent.actionUrl) ? new URL(intent.actionUrl).href : undefined;
    return send(
      visit,
      view,
      status,
      renderActionPage(view),
      url === undefined ? undefined : { afterSeconds: 0, url },
    );
  }
  if (intent.status === 'processing') {
    const [awaited] = await visit.tenant.read.many('invoices', {
      where: { intentId: intent.id, status: 'open' },
    });
    const refresh = awaited ? undefined : { afterSeconds: refreshSeconds, url: `${visit.path}/return` };
    return send(
      visit,
      view,
      status,
      renderProcessingPage(view, awaited && { invoice: awaited, tenant: visit.tenant.record }),
      refresh,
    );
  }
  if (intent.status === 'succeeded') return send(visit, view, status, renderPaidPage(view));
  return send(visit, view, status === 200 ? gone : status, renderEndedPage(view));
}

async function showPayable(
  visit: Visit,
  intent: IntentRow,
  { status = 200, notice, refused }: PageOptions,
): Promise<FastifyReply> {
  const { tenant } = visit;
  const bill = await computeBillOrError(visit, intent);
  const code = await findCodeField(tenant, intent);
  if (bill instanceof BillingError) {
    const view = buildView(visit, intent, notice, 0n);
    // A code that can no longer be redeemed can be removed.
    if (isUnusableCode(bill)) view.code = code;
    return send(
      visit,
      view,
      status === 200 ? conflict : status,
      renderUnpayablePage(view, describeObstacle(bill)),
    );
  }
  const details = await findDetailsForm(tenant, intent, refused);
  const view = { ...buildView(visit, intent, notice, bill.totalMinor), code, details };
  const methods = await listMethods(tenant);
  const names = await nameDiscounts(tenant.read, intent, bill.lines);
  const terms = describeTerms(intent, bill, tenant.record.timezone, names);
  if (methods.length === 0 && terms.freeAction === undefined) {
    const why = (await hasOtherMethods(tenant))
      ? 'to pay by card, return to the site that sent you here.'
      : 'the seller does not accept payments on this page.';
    return send(visit, view, status, renderUnpayablePage(view, why));
  }
  const customer = await tenant.read.one('customers', { id: intent.customerId });
  const page = renderPayPage(view, terms, methods, {
    firstName: customer?.firstName,
    hasOtherMethods: await hasOtherMethods(tenant),
  });
  return send(visit, view, status, page);
}

/** Computes the first bill of the intent for a payment now, or returns the error that prevents the payment. */
async function computeBillOrError({ tenant }: Visit, intent: IntentRow): Promise<FirstBill | BillingError> {
  try {
    return await previewFirstBill(tenant.read, intent, tenant.now(), tenant.record);
  } catch (error) {
    if (error instanceof BillingError && error.status === conflict) return error;
    throw error;
  }
}

function describeObstacle(error: BillingError): string {
  const { reason } = error;
  if (isUnusableCode(error)) return 'its promotion code can no longer be used.';
  if (reason === 'subscription_exists')
    return 'you already have this subscription, or another plan of the same group.';
  if (reason === 'currency_mismatch') return 'your current plan is in another currency.';
  if (reason === 'intent_not_payable') return 'it is no longer on sale.';
  return 'your current subscription cannot be changed in its present state.';
}

/**
 * Returns whether the payer would be charged more than the page showed. The prorated amount of a plan change varies
 * with time, so an increase of up to 1% is accepted.
 */
export async function hasAmountIncreased(
  visit: Visit,
  intent: IntentRow,
  shownMinor: bigint,
): Promise<boolean> {
  // The payment will ask VIES as well; its answer may raise the tax.
  await checkPayer(visit.tenant, intent.id);
  const bill = await computeBillOrError(visit, intent);
  return !(bill instanceof BillingError) && bill.totalMinor * 100n > shownMinor * 101n;
}

function buildView(
  { tenant, path, nowMs }: Visit,
  intent: IntentRow,
  notice: string | undefined,
  shownMinor: bigint,
): View {
  const { cursorSecret, name } = tenant.record;
  const token = writeToken(cursorSecret, { page: 'pay page', id: intent.id }, { shownMinor }, nowMs);
  return { intent, seller: name, path, token, notice };
}

function send(
  { tenant, send: sendPage }: Visit,
  { intent, seller }: View,
  status: number,
  { title, content }: PageContent,
  refresh?: Page['refresh'],
): FastifyReply {
  const schemes = [intent.receiptUrl, intent.returnUrl].filter((url) => url !== null).map(getScheme);
  const page: Page = {
    language: 'en',
    title,
    brand: { name: seller },
    isTest: tenant.record.test,
    content,
    refresh,
  };
  return sendPage(status, page, schemes);
}

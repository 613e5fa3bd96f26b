import type { FastifyReply } from 'fastify';
import { BillingError } from '../../lib/errors.ts';
import type { IntentRow } from '../../subscriptions/intents.ts';
import { previewFirstBill, type FirstBill } from '../../subscriptions/firstBill.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { isWebUrl, getScheme } from './addresses.ts';
import type { CheckoutPage } from './layout.ts';
import { hasOtherMethods, listMethods } from './methods.ts';
import {
  actionPage,
  endedPage,
  hinderedPage,
  paidPage,
  payPage,
  processingPage,
  type Told,
  type View,
} from './pages.ts';
import { describeTerms } from './terms.ts';
import { writeToken } from './csrf.ts';

/** One request of a payer's browser. */
export interface Visit {
  tenant: TenantScope;
  intentId: string;
  /** The address of the intent's page, as a path. */
  path: string;
  nowMs: number;
  form: URLSearchParams;
  /** Whether the form, if it is one, was sent by a page of this server. */
  isFromHere: boolean;
  /** Whether the page leads on to the payer's bank by itself. */
  leadsOn: boolean;
  /** Sends a page whose forms lead on to addresses of the schemes. */
  send: (status: number, page: CheckoutPage, schemes: string[]) => FastifyReply;
  go: (url: string) => FastifyReply;
}

/** How a page is answered, where that is not decided by the intent alone. */
interface Answer {
  status?: number;
  notice?: string;
}

const gone = 410;
const conflict = 409;
const askAgainSeconds = 5;

/** Shows an intent as it stands. */
export async function showIntent(
  visit: Visit,
  intent: IntentRow,
  { status = 200, notice }: Answer = {},
): Promise<FastifyReply> {
  if (intent.status === 'requires_payment_method') return showPayable(visit, intent, { status, notice });
  const view = buildView(visit, intent, notice, 0n);
  if (intent.status === 'requires_action') {
    const url = visit.leadsOn && isWebUrl(intent.actionUrl) ? new URL(intent.actionUrl).href : undefined;
    return send(
      visit,
      view,
      status,
      actionPage(view),
      url === undefined ? undefined : { afterSeconds: 0, url },
    );
  }
  if (intent.status === 'processing') {
    const [awaited] = await visit.tenant.read.many('invoices', {
      where: { intentId: intent.id, status: 'open' },
    });
    const refresh = awaited ? undefined : { afterSeconds: askAgainSeconds, url: `${visit.path}/return` };
    return send(
      visit,
      view,
      status,
      processingPage(view, awaited && { invoice: awaited, tenant: visit.tenant.record }),
      refresh,
    );
  }
  if (intent.status === 'succeeded') return send(visit, view, status, paidPage(view));
  return send(visit, view, status === 200 ? gone : status, endedPage(view));
}

async function showPayable(
  visit: Visit,
  intent: IntentRow,
  { status = 200, notice }: Answer,
): Promise<FastifyReply> {
  const { tenant } = visit;
  const bill = await billOrHindrance(visit, intent);
  if (bill instanceof BillingError) {
    const view = buildView(visit, intent, notice, 0n);
    return send(visit, view, status === 200 ? conflict : status, hinderedPage(view, hindranceIn(bill)));
  }
  const view = buildView(visit, intent, notice, bill.totalMinor);
  const methods = listMethods(tenant);
  if (methods.length === 0) {
    const why = hasOtherMethods(tenant)
      ? 'to pay by card, return to the site that sent you here.'
      : 'the seller does not accept payments on this page.';
    return send(visit, view, status, hinderedPage(view, why));
  }
  const customer = await tenant.read.one('customers', { id: intent.customerId });
  const page = payPage(view, describeTerms(intent, bill, tenant.record.timezone), methods, {
    firstName: customer?.firstName,
    hasOtherMethods: hasOtherMethods(tenant),
  });
  return send(visit, view, status, page);
}

/** What the intent would owe now, or why it cannot be paid. */
async function billOrHindrance({ tenant }: Visit, intent: IntentRow): Promise<FirstBill | BillingError> {
  try {
    return await previewFirstBill(tenant.read, intent, tenant.now(), tenant.record.timezone);
  } catch (error) {
    if (error instanceof BillingError && error.status === conflict) return error;
    throw error;
  }
}

function hindranceIn({ reason }: BillingError): string {
  if (reason === 'subscription_exists')
    return 'you already have this subscription, or another plan of the same group.';
  if (reason === 'currency_mismatch') return 'your current plan is in another currency.';
  if (reason === 'intent_not_payable') return 'it is no longer on sale.';
  return 'your current subscription cannot be changed in its present state.';
}

/**
 * Whether the payer would be charged more than they were shown. What a change of plan costs moves with every moment,
 * so that a hundredth more passes.
 */
export async function hasRisen(visit: Visit, intent: IntentRow, shownMinor: bigint): Promise<boolean> {
  const bill = await billOrHindrance(visit, intent);
  return !(bill instanceof BillingError) && bill.totalMinor * 100n > shownMinor * 101n;
}

function buildView(
  { tenant, path, nowMs }: Visit,
  intent: IntentRow,
  notice: string | undefined,
  shownMinor: bigint,
): View {
  const { cursorSecret, name } = tenant.record;
  const token = writeToken(cursorSecret, { intentId: intent.id, shownMinor }, nowMs);
  return { intent, seller: name, path, token, notice };
}

function send(
  { tenant, send: sendPage }: Visit,
  { intent, seller }: View,
  status: number,
  { title, content }: Told,
  refresh?: CheckoutPage['refresh'],
): FastifyReply {
  const schemes = [intent.receiptUrl, intent.returnUrl].filter((url) => url !== null).map(getScheme);
  return sendPage(status, { title, seller, isTest: tenant.record.test, content, refresh }, schemes);
}

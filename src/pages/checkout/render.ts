import type { FastifyReply } from 'fastify';
import { isUnusableCode } from '../../billing/discounts/codeAttempts.ts';
import { BillingError } from '../../lib/errors.ts';
import type { Html } from '../../lib/html.ts';
import { checkPayer } from '../../billing/subscriptions/intents/confirmation.ts';
import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import { previewFirstBill, type FirstBill } from '../../billing/subscriptions/intents/firstBill.ts';
import type { Language } from '../../lib/language.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findBrand } from '../shared/brand.ts';
import type { PageContent } from '../shared/components.ts';
import { findUsedMethod, listCardNeeds } from '../shared/cardForm.ts';
import { writeToken } from '../shared/csrf.ts';
import type { PageNeeds } from '../shared/headers.ts';
import type { Page } from '../shared/layout.ts';
import { createTranslator } from '../shared/translator.ts';
import { findCodeField } from './code.ts';
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
import { checkoutTexts, type PayTranslator, type TextKey } from './texts.ts';

/** One request of a payer's browser. */
export interface Visit {
  tenant: TenantScope;
  intentId: string;
  /** The path prefix of this server's public URL. */
  base: string;
  /** The path of the intent's page. */
  path: string;
  nowMs: number;
  /** The network that the request comes from. */
  network: string;
  form: URLSearchParams;
  /** Whether the form was sent by a page of this server. */
  isSameOrigin: boolean;
  /** Whether the page redirects to the payer's bank automatically. */
  redirectsToBank: boolean;
  /** Chooses the reader's language; the customer's locale is one of the signs. */
  chooseLanguage: (locale: string | null) => Language;
  setHeaders: (headers: Record<string, string>) => void;
  send: (status: number, page: Page, needs: PageNeeds) => FastifyReply;
  redirect: (url: string) => FastifyReply;
}

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
  visit: Visit,
  intent: IntentRow,
  options: PageOptions = {},
): Promise<FastifyReply> {
  const customer = await visit.tenant.read.one('customers', { id: intent.customerId });
  const reader = { translator: createPayTranslator(visit, customer?.locale ?? null), customer };
  if (intent.status === 'requires_payment_method') return showPayable(visit, intent, options, reader);
  const { status = 200, refused } = options;
  const notice = sayNotice(reader.translator, options);
  const details = await findDetailsForm(visit.tenant, intent, refused);
  const view = { ...buildView(visit, intent, reader), notice, details };
  if (intent.status === 'requires_action') {
    const url =
      visit.redirectsToBank && isWebUrl(intent.actionUrl) ? new URL(intent.actionUrl).href : undefined;
    return send(visit, view, status, renderActionPage(view), url);
  }
  if (intent.status === 'processing') {
    const [awaited] = await visit.tenant.read.many('invoices', {
      where: { intentId: intent.id, status: 'open' },
    });
    const page = renderProcessingPage(view, awaited && { invoice: awaited, tenant: visit.tenant.record });
    return send(visit, view, status, page);
  }
  if (intent.status === 'succeeded') return send(visit, view, status, renderPaidPage(view));
  return send(visit, view, status === 200 ? gone : status, renderEndedPage(view));
}

const sayNotice = (
  { say, formats }: PayTranslator,
  { notice, retryAfterSeconds = 0 }: PageOptions,
): Html | undefined => notice && say(notice, { when: formats.wait(retryAfterSeconds) });

/** Creates the translator of a visit, with dates in the tenant's time zone. */
const createPayTranslator = ({ tenant, chooseLanguage }: Visit, locale: string | null): PayTranslator =>
  createTranslator(checkoutTexts, chooseLanguage(locale), tenant.record.timezone);

/** The payer: the language, and the customer unless deleted. */
interface Reader {
  translator: PayTranslator;
  customer: Row<'customers'> | undefined;
}

async function showPayable(
  visit: Visit,
  intent: IntentRow,
  options: PageOptions,
  reader: Reader,
): Promise<FastifyReply> {
  const { tenant } = visit;
  const { status = 200, refused } = options;
  const notice = sayNotice(reader.translator, options);
  const bill = await computeBillOrError(visit, intent);
  const code = await findCodeField(tenant, intent);
  if (bill instanceof BillingError) {
    const view = { ...buildView(visit, intent, reader), notice };
    // A code that can no longer be redeemed can be removed.
    if (isUnusableCode(bill)) view.code = code;
    const page = renderUnpayablePage(view, describeObstacle(bill));
    return send(visit, view, status === 200 ? conflict : status, page);
  }
  const details = await findDetailsForm(tenant, intent, refused);
  const view = { ...buildView(visit, intent, reader, bill.totalMinor), notice, code, details };
  const methods = await listMethods(tenant);
  const hasOthers = await hasOtherMethods(tenant);
  const names = await nameDiscounts(tenant.read, intent, bill.lines);
  const order = { intent, bill, timeZone: tenant.record.timezone };
  const terms = describeTerms(reader.translator, order, names);
  if (methods.length === 0 && terms.freeAction === undefined) {
    return send(visit, view, status, renderUnpayablePage(view, hasOthers ? 'cardOnly' : 'noMethods'));
  }
  const page = renderPayPage(view, terms, {
    methods,
    chosen: findUsedMethod(methods, intent.failureReason === null ? null : intent.paymentMethod),
    base: visit.base,
    dueMinor: bill.totalMinor,
    firstName: reader.customer?.firstName,
    hasOtherMethods: hasOthers,
  });
  return send(visit, view, status, page, undefined, listCardNeeds(methods));
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
  { translator }: Reader,
  shownMinor = 0n,
): View {
  const { cursorSecret } = tenant.record;
  const token = writeToken(cursorSecret, { page: 'pay page', id: intent.id }, { shownMinor }, nowMs);
  return { translator, intent, seller: findBrand(tenant.record).name, path, token };
}

function send(
  { tenant, path, send: sendPage }: Visit,
  { intent, translator }: View,
  status: number,
  content: PageContent,
  forwardTo?: string,
  needs: PageNeeds = {},
): FastifyReply {
  const formSchemes = [intent.receiptUrl, intent.returnUrl].filter((url) => url !== null).map(getScheme);
  const page: Page = {
    language: translator.language,
    ...content,
    brand: findBrand(tenant.record),
    isTest: tenant.record.test,
    forwardTo,
    languagePath: path,
  };
  return sendPage(status, page, { ...needs, formSchemes });
}

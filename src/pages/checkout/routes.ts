import type { PageDeps } from '../../http/server.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUnusableCode, redeemEnteredCode } from '../../billing/discounts/codeAttempts.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import {
  abandonPayment,
  cancelIntent,
  confirmIntent,
  notePayer,
  resumeIntent,
} from '../../billing/subscriptions/intents/confirmation.ts';
import { findIntent, type IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import { startTrial } from '../../billing/subscriptions/intents/startTrial.ts';
import { openPayer } from '../../tenants/pageAccess.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { completeInvoiceDetails } from '../../billing/subscriptions/intents/invoiceDetails.ts';
import { setIntentCode } from '../../billing/subscriptions/intents/intentCode.ts';
import { readChosenMethod } from '../shared/cardForm.ts';
import { longFormLimitBytes, refuseOtherMethods, serveSite } from '../shared/routes.ts';
import { renderProblem } from '../shared/problems.ts';
import { openVisit, readFormToken, sendKeptPage, type Site } from '../shared/visit.ts';
import { getRetryHeaders } from '../../http/retryHeaders.ts';
import { readDetails } from './details.ts';
import { buildRedirectUrl } from './addresses.ts';
import { listMethods } from './methods.ts';
import type { PayVisit } from './pages.ts';
import { hasAmountIncreased, showIntent } from './render.ts';
import { checkoutTexts, type CheckoutTexts } from './texts.ts';

const payments: Site<CheckoutTexts> = {
  page: 'pay page',
  texts: checkoutTexts,
  referrerPolicy: 'no-referrer',
  findLanguagePath: ({ base }) => base,
  findFormPath: ({ base }) => base,
  findOwner: ({ base }) => base,
  describeError: (language, error) => {
    const { nothingHere, nothingHereText } = checkoutTexts[language];
    const own = error.reason === 'intent_not_found' ? ([nothingHere, nothingHereText] as const) : undefined;
    return renderProblem(language, error, own);
  },
};

/**
 * Serves the payment pages. The token in the address authorizes viewing, paying and cancelling the intent; no API key
 * is needed. Requests are limited by IP address. The routes accept only form bodies.
 */
export function serveCheckout(server: FastifyInstance, deps: PageDeps): void {
  serveSite(server, deps, payments, (scope) => {
    const createHandler =
      (handle: (visit: PayVisit) => Promise<FastifyReply>) =>
      async (request: FastifyRequest, reply: FastifyReply) =>
        handle(await openPayVisit(deps, request, reply));
    scope.get('/pay/:link', createHandler(show));
    scope.post('/pay/:link', createHandler(pay));
    scope.post('/pay/:link/trial', createHandler(startTrialWithoutMethod));
    scope.post('/pay/:link/code', createHandler(setCode));
    scope.post('/pay/:link/details', { bodyLimit: longFormLimitBytes }, createHandler(setDetails));
    scope.post('/pay/:link/cancel', createHandler(cancel));
    scope.post('/pay/:link/abandon', createHandler(abandon));
    scope.get('/pay/:link/return', { exposeHeadRoute: false }, createHandler(resume));
    refuseOtherMethods(scope, '/pay/:link', 'GET, HEAD, POST');
    for (const form of ['trial', 'code', 'details', 'cancel', 'abandon'])
      refuseOtherMethods(scope, `/pay/:link/${form}`, 'POST');
    refuseOtherMethods(scope, '/pay/:link/return', 'GET');
  });
}

/** Reads a request, and finds the intent of the link and its tenant. Error: `intent_not_found`. */
async function openPayVisit(
  { service, publicUrl, countryHeader }: PageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PayVisit> {
  const { link } = request.params as { link: string };
  const { tenant, intentId } = await openPayer(service, link, request.id);
  const visit = openVisit(payments, {
    publicUrl,
    countryHeader,
    request,
    reply,
    tenant,
    path: `/pay/${link}`,
  });
  return Object.assign(visit, { intentId });
}

async function show(visit: PayVisit): Promise<FastifyReply> {
  return sendKeptPage(visit) ?? showIntent(visit, await findVisitedIntent(visit));
}

const findVisitedIntent = ({ tenant, intentId }: PayVisit) => findIntent(tenant.read, intentId, tenant.now());

/** Pays the intent. A repeated form redirects like the first one and does not pay again. */
async function pay(visit: PayVisit): Promise<FastifyReply> {
  const { tenant, intentId, form } = visit;
  const { intent, shownMinor, reply } = await readPayment(visit);
  if (reply) return reply;
  const method = readChosenMethod(await listMethods(tenant), form);
  if (method === undefined) return showIntent(visit, intent, { status: 400, notice: 'chooseMethod' });
  if (await hasAmountIncreased(visit, intent, shownMinor)) return showIntent(visit, intent, amountIncreased);
  return perform(visit, () => confirmIntent(tenant, intentId, method, { ipCountry: visit.country }), true);
}

/** Starts the trial of the intent without a payment method. A repeated form redirects like the first one. */
async function startTrialWithoutMethod(visit: PayVisit): Promise<FastifyReply> {
  const { intent, shownMinor, reply } = await readPayment(visit);
  if (reply) return reply;
  if (await hasAmountIncreased(visit, intent, shownMinor)) return showIntent(visit, intent, amountIncreased);
  return perform(visit, () =>
    visit.tenant.write(async (unit) => {
      const started = await startTrial(unit, visit.intentId);
      await notePayer(unit, started, visit.country);
      return started;
    }),
  );
}

/** Reads the form of an intent that can be paid; otherwise the `reply` is sent. */
async function readPayment(
  visit: PayVisit,
): Promise<
  | { intent: IntentRow; shownMinor: bigint; reply?: undefined }
  | { intent: IntentRow; shownMinor?: undefined; reply: FastifyReply }
> {
  const intent = await findVisitedIntent(visit);
  const shownMinor = readFormToken(visit, intent.id);
  if (shownMinor === undefined) return { intent, reply: await showIntent(visit, intent, tokenInvalid) };
  if (intent.status === 'cancelled' || intent.status === 'expired')
    return { intent, reply: await showIntent(visit, intent) };
  if (intent.status !== 'requires_payment_method')
    return { intent, reply: redirectByStatus(visit, intent, true) };
  return { intent, shownMinor };
}

/** Applies or removes a promotion code, then shows the page with the new amounts. */
async function setCode(visit: PayVisit): Promise<FastifyReply> {
  const { tenant, form } = visit;
  const intent = await findVisitedIntent(visit);
  if (!isFormOwn(visit)) return showIntent(visit, intent, tokenInvalid);
  if (intent.status !== 'requires_payment_method') return redirectByStatus(visit, intent);
  try {
    const refusal = await tenant.write((unit) =>
      form.has('remove') ? removeCode(unit, visit) : enterCode(unit, visit),
    );
    if (refusal) return await showIntent(visit, intent, codeUnusable);
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    if (error.reason === 'too_many_attempts') return showTooManyCodes(visit, intent, error);
    return isUnusableCode(error) ? showIntent(visit, intent, codeUnusable) : showRefusal(visit, error);
  }
  return visit.redirect(visit.base);
}

const removeCode = async (unit: UnitOfWork, { intentId }: PayVisit): Promise<undefined> =>
  void (await setIntentCode(unit, intentId, null));

const enterCode = (unit: UnitOfWork, { intentId, network, now, form }: PayVisit) =>
  redeemEnteredCode(unit, { id: intentId, network }, now, () =>
    setIntentCode(unit, intentId, form.get('code') ?? ''),
  );

function showTooManyCodes(visit: PayVisit, intent: IntentRow, error: BillingError): Promise<FastifyReply> {
  void visit.reply.headers(getRetryHeaders(error)!);
  const { status, retryAfterSeconds } = error;
  return showIntent(visit, intent, { status, notice: 'tooManyCodes', retryAfterSeconds });
}

/** Saves the details of the invoice, then shows the page with the tax that follows from them. */
async function setDetails(visit: PayVisit): Promise<FastifyReply> {
  const { tenant, intentId, form } = visit;
  const intent = await findVisitedIntent(visit);
  if (!isFormOwn(visit)) return showIntent(visit, intent, tokenInvalid);
  const entered = readDetails(form);
  try {
    await completeInvoiceDetails(tenant, intentId, entered);
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    const { reason, status, issues } = error;
    if (reason === 'validation_failed')
      return showIntent(visit, intent, { status, notice: 'detailsRefused', refused: { entered, issues } });
    if (reason === 'intent_not_payable') return showIntent(visit, intent, detailsFinal);
    throw error;
  }
  return visit.redirect(visit.base);
}

async function cancel(visit: PayVisit): Promise<FastifyReply> {
  const { tenant, intentId } = visit;
  const intent = await findVisitedIntent(visit);
  if (!isFormOwn(visit)) return showIntent(visit, intent, tokenInvalid);
  if (intent.status === 'cancelled' || intent.status === 'expired') return redirectBack(visit, intent);
  if (intent.status === 'succeeded') {
    return showIntent(visit, intent, {
      status: 409,
      notice: 'paidAlready',
    });
  }
  return perform(visit, () => tenant.write((unit) => cancelIntent(unit, intentId)));
}

/** Ends a payment that the payer has not confirmed, so that another method can be chosen. */
async function abandon(visit: PayVisit): Promise<FastifyReply> {
  const intent = await findVisitedIntent(visit);
  if (!isFormOwn(visit)) return showIntent(visit, intent, tokenInvalid);
  return perform(visit, () => abandonPayment(visit.tenant, visit.intentId));
}

/** Handles the return from the payer's bank: asks the provider for the outcome of the payment. */
function resume(visit: PayVisit): Promise<FastifyReply> {
  return perform(visit, () => resumeIntent(visit.tenant, visit.intentId));
}

const codeUnusable = { status: 409, notice: 'codeUnusable' } as const;
const tokenInvalid = { status: 403, notice: 'tokenInvalid' } as const;
const detailsFinal = { status: 409, notice: 'detailsFinal' } as const;
const amountIncreased = { status: 409, notice: 'amountIncreased' } as const;

const isFormOwn = (visit: PayVisit) => readFormToken(visit, visit.intentId) !== undefined;

/** Performs an action, then redirects by the intent's new status. A refusal is shown on the page. */
async function perform(
  visit: PayVisit,
  act: () => Promise<IntentRow>,
  toBank = false,
): Promise<FastifyReply> {
  try {
    return redirectByStatus(visit, await act(), toBank);
  } catch (error) {
    if (!(error instanceof BillingError) || error.reason === 'internal_error') throw error;
    return showRefusal(visit, error);
  }
}

async function showRefusal(visit: PayVisit, { reason, status }: BillingError): Promise<FastifyReply> {
  const intent = await findVisitedIntent(visit);
  if (isTransient(reason)) return showIntent(visit, intent, { status, notice: 'notResponding' });
  if (intent.status === 'requires_payment_method') {
    // The page itself shows that the payment was declined, or why it is not possible.
    return showIntent(visit, intent, {
      status,
      notice: reason === 'intent_not_payable' ? 'otherPayment' : undefined,
    });
  }
  return redirectByStatus(visit, intent);
}

/**
 * Redirects to the receipt after payment, to the return address after cancellation, and otherwise to the intent's
 * page.
 */
function redirectByStatus(visit: PayVisit, intent: IntentRow, toBank = false): FastifyReply {
  if (intent.status === 'succeeded') return visit.redirect(buildRedirectUrl(intent.receiptUrl, intent));
  if (intent.status === 'cancelled') return redirectBack(visit, intent);
  return visit.redirect(intent.status === 'requires_action' && toBank ? `${visit.base}?to=bank` : visit.base);
}

const redirectBack = (visit: PayVisit, intent: IntentRow) =>
  visit.redirect(intent.returnUrl === null ? visit.base : buildRedirectUrl(intent.returnUrl, intent));

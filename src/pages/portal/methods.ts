/** The customer's payment methods. */
import type { FastifyReply } from 'fastify';
import {
  findExpiryMonth,
  listSavedMethods,
  pickDefault,
  type PaymentMethodRow,
} from '../../billing/payments/paymentMethods.ts';
import { nameBrand } from '../../lib/cardBrands.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import { html, type Html } from '../../lib/html.ts';
import { fillText } from '../../lib/texts.ts';
import { manual } from '../../providers/manual.ts';
import {
  findUsualCurrency,
  removePaymentMethod,
  setDefaultPaymentMethod,
} from '../../billing/collection/customerMethods.ts';
import { requestMethod, resumeRequest, type MethodResult } from '../../billing/collection/methodRequests.ts';
import { isWebUrl } from '../checkout/addresses.ts';
import { describeMethod } from '../checkout/methods.ts';
import {
  listCardNeeds,
  listOfferedMethods,
  readChosenMethod,
  renderCardForm,
  renderElsewhereButton,
  type OfferedMethod,
} from '../shared/cardForm.ts';
import { renderToken } from '../shared/components.ts';
import { readToken, writeToken } from '../shared/csrf.ts';
import { showBankPage } from './plan.ts';
import type { Notice, Problem } from './texts.ts';
import {
  describeProblem,
  redirectDone,
  refusePage,
  renderAction,
  sendPortalPage,
  writeFormToken,
  type CustomerVisit,
} from './visit.ts';

const conflict = 409;
const methodsPath = 'payment-methods';

/** The methods that a customer of a test tenant can add. */
const testMethods = ['sandbox_ok', 'sandbox_ok_then_declined', 'sandbox_declined'] as const;

/** Lists the methods that the customer can add. */
export async function listAddable({ tenant }: CustomerVisit): Promise<OfferedMethod[]> {
  const offered = await listOfferedMethods(tenant);
  return [...(tenant.record.test ? testMethods.map(describeMethod) : []), ...offered];
}

/** Lists the methods, the default one marked, and how to add one. */
export async function showMethods(visit: CustomerVisit, problem?: Problem): Promise<FastifyReply> {
  const { tenant, customer, texts } = visit;
  const present = await listSavedMethods(tenant.read, customer.id);
  const chosen = pickDefault(customer, present);
  const addable = await listAddable(visit);
  const content = html`${
      present.length === 0
        ? html`<p>${texts.noMethods}</p> `
        : html`<ul class="documents">
            ${present.map((method) => renderMethod(visit, method, method.id === chosen?.id))}
          </ul> `
    }
    <h2>${texts.addMethod}</h2>
    ${addable.length > 0 ? await renderAddForm(visit, addable) : html`<p>${texts.noWayToAdd}</p> `}`;
  return sendPortalPage(visit, {
    title: texts.methods,
    content,
    at: 'methods',
    needs: listCardNeeds(addable),
    ...(problem && { problem: describeProblem(visit, problem), status: conflict }),
  });
}

function renderMethod(visit: CustomerVisit, method: PaymentMethodRow, isDefault: boolean): Html {
  const { texts } = visit;
  const name = nameMethod(visit, method);
  return html`<li>
    <div class="head">
      <span><bdi>${name}</bdi></span>
      ${isDefault ? html`<span class="status active">${texts.isDefault}</span>` : undefined}
    </div>
    ${describeExpiry(visit, method)}
    <div>
      ${
        isDefault
          ? undefined
          : renderAction(visit, `${methodsPath}/${method.id}/default`, texts.makeDefault, { style: 'second' })
      }
      ${renderAction(visit, `${methodsPath}/${method.id}/remove`, texts.remove, { style: 'second', label: fillText(texts.removeMethod, { method: name }) })}
    </div>
  </li> `;
}

/** Returns the name of a method: `Visa ending in 4242`. */
export function nameMethod(
  { texts }: CustomerVisit,
  { provider, type, brand, last4 }: PaymentMethodRow,
): string {
  if (provider === manual.name) return texts.bankTransfer;
  if (last4 === null) return texts.otherMethod;
  const other = type === 'sepa_debit' ? 'SEPA' : texts.otherMethod;
  return fillText(texts.card, { brand: brand === null ? other : nameBrand(brand), last4 });
}

function describeExpiry({ texts, tenant }: CustomerVisit, method: PaymentMethodRow): Html | undefined {
  const month = findExpiryMonth(method);
  if (!month) return undefined;
  const { expiresAt } = method;
  if (expiresAt !== null && expiresAt <= tenant.now())
    return html`<p><span class="status expired">${texts.expired}</span></p> `;
  const shown = `${String(month.month).padStart(2, '0')}/${month.year}`;
  return html`<p class="soft">${fillText(texts.expires, { month: shown })}</p> `;
}

async function renderAddForm(visit: CustomerVisit, addable: OfferedMethod[]): Promise<Html> {
  const { texts, tenant, customer, language, root: base } = visit;
  const byForm = addable.find(({ form }) => form);
  const currency = await findUsualCurrency(tenant.read, customer.id);
  return html`<form method="post" action="${visit.base}/${methodsPath}">
    ${renderToken(writeFormToken(visit, methodsPath))}
    ${
      addable.length === 1
        ? html`<input type="hidden" name="method" value="${addable[0]!.id}" />`
        : renderChoices(visit, addable)
    }
    ${byForm && renderCardForm(byForm, { base, amountMinor: 0n, currency, language })}
    <button>${texts.addMethod}</button>
    ${byForm && renderElsewhereButton(byForm, html`${texts.enterAtProvider}`)}
  </form> `;
}

const renderChoices = (visit: CustomerVisit, addable: OfferedMethod[]): Html =>
  html`<fieldset>
    <legend class="hidden">${visit.texts.addMethod}</legend>
    ${addable.map(
      ({ id, texts }, index) =>
        html`<label class="method">
          <input
            type="radio"
            name="method"
            value="${id}"
            required
            ${index === 0 ? html`checked` : undefined}
          />
          <span>${texts[visit.language].label}</span>
        </label> `,
    )}
  </fieldset>`;

/** Saves a method, which becomes the default and pays the unpaid invoices at once. */
export async function addMethod(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer, form } = visit;
  const addable = await listAddable(visit);
  const method = readChosenMethod(addable, form);
  if (method === undefined) return refusePage();
  const wanted = { customerId: customer.id, method, isDefault: true };
  return settle(visit, () => requestMethod(tenant, wanted, buildReturnPath(visit)), method);
}

/** Saves a method after the customer has confirmed it at the bank, or entered it on the page of the provider. */
export async function finishMethod(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer, query } = visit;
  const request = query.get('request') ?? '';
  // The page that led away signed it: no other site can begin a request here.
  if (!readToken(tenant.record.cursorSecret, ownRequest(visit, request), query.get('token'), 0))
    return refusePage();
  const method = request.slice(request.indexOf('_', request.indexOf('_') + 1) + 1);
  return settle(visit, () => resumeRequest(tenant, customer.id, request, buildReturnPath(visit)), method);
}

/** Returns to where the provider leads back. Repeated requests have the same path, so its signature has no time. */
const buildReturnPath = (visit: CustomerVisit) => (request: string) => {
  const { cursorSecret, alias } = visit.tenant.record;
  const token = writeToken(cursorSecret, ownRequest(visit, request), { shownMinor: 0n }, 0);
  return `/portal/${alias}/${methodsPath}/return?${new URLSearchParams({ request, token }).toString()}`;
};

const ownRequest = ({ session }: CustomerVisit, request: string) =>
  ({ page: 'portal', id: `${session.id}|${methodsPath}/return|${request}` }) as const;

async function settle(
  visit: CustomerVisit,
  act: () => Promise<MethodResult | undefined>,
  method: string,
): Promise<FastifyReply> {
  try {
    const result = await act();
    if (!result) return refusePage();
    if ('saved' in result) return redirectDone(visit, `/${methodsPath}`, 'methodAdded');
    if (!isWebUrl(result.actionUrl)) return showMethods(visit, 'methodRefused');
    const isAtProvider = (await listAddable(visit)).some(({ id }) => id === method);
    return showBankPage(visit, result.actionUrl, isAtProvider ? 'provider' : 'bank');
  } catch (error) {
    return showRefusal(visit, error);
  }
}

/** Makes a method the default, which pays the unpaid invoices at once. */
export async function setDefaultMethod(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer } = visit;
  const id = await findOwnMethod(visit);
  return perform(visit, () => setDefaultPaymentMethod(tenant, id, customer.id), 'methodSet');
}

/** Removes a method, unless a subscription needs it. */
export async function removeMethod(visit: CustomerVisit): Promise<FastifyReply> {
  const id = await findOwnMethod(visit);
  return perform(visit, () => removePaymentMethod(visit.tenant, id), 'methodRemoved');
}

/** Returns the id in the path. Error: `route_not_found` unless it is of a method of the customer. */
async function findOwnMethod({ tenant, customer, params }: CustomerVisit): Promise<string> {
  const method = await tenant.read.one('paymentMethods', { id: params['id']!, customerId: customer.id });
  return method?.removedAt === null ? method.id : refusePage();
}

async function perform(
  visit: CustomerVisit,
  act: () => Promise<unknown>,
  notice: Notice,
): Promise<FastifyReply> {
  try {
    await act();
  } catch (error) {
    return showRefusal(visit, error);
  }
  return redirectDone(visit, `/${methodsPath}`, notice);
}

function showRefusal(visit: CustomerVisit, error: unknown): Promise<FastifyReply> | FastifyReply {
  if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
  if (error.reason === 'route_not_found') throw error;
  const url = error.issues.find(({ actionUrl }) => actionUrl !== undefined)?.actionUrl;
  if (url !== undefined && isWebUrl(url)) return showBankPage(visit, url);
  return showMethods(visit, error.reason === 'payment_method_in_use' ? 'methodInUse' : 'methodRefused');
}

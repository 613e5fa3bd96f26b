/** The customer's payment methods. */
import type { FastifyReply } from 'fastify';
import {
  findExpiryMonth,
  listSavedMethods,
  pickDefault,
  type PaymentMethodRow,
} from '../../invoicing/paymentMethods.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import { html, type Html } from '../../lib/html.ts';
import { manual } from '../../providers/manual.ts';
import {
  addPaymentMethod,
  removePaymentMethod,
  setDefaultPaymentMethod,
} from '../../subscriptions/customerMethods.ts';
import { isWebUrl } from '../checkout/addresses.ts';
import { checkoutTexts } from '../checkout/texts.ts';
import { renderToken } from '../pages/components.ts';
import { showBankPage } from './plan.ts';
import type { Notice, Problem } from './texts/types.ts';
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

/** Lists the methods, the default one marked, and how to add one. */
export async function showMethods(visit: CustomerVisit, problem?: Problem): Promise<FastifyReply> {
  const { tenant, customer, texts } = visit;
  const present = await listSavedMethods(tenant.read, customer.id);
  const chosen = pickDefault(customer, present);
  const content = html`${
      present.length === 0
        ? html`<p>${texts.noMethods}</p> `
        : html`<ul class="documents">
            ${present.map((method) => renderMethod(visit, method, method.id === chosen?.id))}
          </ul> `
    }
    <h2>${texts.addMethod}</h2>
    ${tenant.record.test ? renderTestForm(visit) : html`<p>${texts.noWayToAdd}</p> `}`;
  return sendPortalPage(visit, {
    title: texts.methods,
    content,
    at: 'methods',
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
      ${renderAction(visit, `${methodsPath}/${method.id}/remove`, texts.remove, { style: 'second', label: texts.removeMethod(name) })}
    </div>
  </li> `;
}

function nameMethod({ texts }: CustomerVisit, { provider, type, brand, last4 }: PaymentMethodRow): string {
  if (provider === manual.name) return texts.bankTransfer;
  if (last4 === null) return texts.otherMethod;
  return texts.card((brand ?? type ?? texts.otherMethod).toUpperCase(), last4);
}

function describeExpiry(
  { texts, tenant, formats }: CustomerVisit,
  method: PaymentMethodRow,
): Html | undefined {
  const month = findExpiryMonth(method);
  if (!month) return undefined;
  const { expiresAt } = method;
  if (expiresAt !== null && expiresAt <= tenant.now())
    return html`<p><span class="status expired">${texts.expired}</span></p> `;
  const shown = `${formats.number(String(month.month).padStart(2, '0'))}/${month.year}`;
  return html`<p class="soft">${texts.expires(shown)}</p> `;
}

const renderTestForm = (visit: CustomerVisit): Html =>
  html`<form method="post" action="${visit.base}/${methodsPath}">
    ${renderToken(writeFormToken(visit, methodsPath))}
    <fieldset>
      <legend class="hidden">${visit.texts.addMethod}</legend>
      ${testMethods.map(
        (method, index) =>
          html`<label class="method">
            <input
              type="radio"
              name="method"
              value="${method}"
              required
              ${index === 0 ? html`checked` : undefined}
            />
            <span>${checkoutTexts[visit.language][method]}</span>
          </label> `,
      )}
    </fieldset>
    <button>${visit.texts.addMethod}</button>
  </form> `;

/** Saves a method, which becomes the default and pays what is open at once. */
export function addMethod(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer, form } = visit;
  const method = testMethods.find((each) => each === form.get('method'));
  if (!method || !tenant.record.test) return refusePage();
  const input = { customerId: customer.id, paymentMethod: method, makeDefault: true };
  return perform(visit, () => addPaymentMethod(tenant, input), 'methodAdded');
}

/** Makes a method the default, which pays what is open at once. */
export async function setDefaultMethod(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer } = visit;
  const input = { paymentMethodId: await findOwnMethod(visit), customerId: customer.id };
  return perform(visit, () => setDefaultPaymentMethod(tenant, input), 'methodSet');
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
    if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
    const url = error.issues.find(({ actionUrl }) => actionUrl !== undefined)?.actionUrl;
    if (url !== undefined && isWebUrl(url)) return showBankPage(visit, url);
    return showMethods(visit, error.reason === 'payment_method_in_use' ? 'methodInUse' : 'methodRefused');
  }
  return redirectDone(visit, `/${methodsPath}`, notice);
}

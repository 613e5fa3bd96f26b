/** Changing the plan, the quantity and the add-ons: a form, a preview of what is charged, and the change itself. */
import type { FastifyReply } from 'fastify';
import { BillingError, isTransient } from '../../lib/errors.ts';
import { html, type Html } from '../../lib/html.ts';
import { fillText } from '../../lib/texts.ts';
import {
  previewSubscriptionChange,
  type BillPreview,
} from '../../billing/subscriptions/changes/changePreview.ts';
import { changeSubscription } from '../../billing/subscriptions/changes/subscriptionChange.ts';
import type { SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import type { PortalSettings } from '../../storage/model/common.ts';
import { isWebUrl } from '../checkout/addresses.ts';
import { renderField, renderSummary, renderToken } from '../shared/components.ts';
import { renderBill } from './bill.ts';
import {
  addOnField,
  findShownQuantity,
  listChoices,
  readChange,
  type Choice,
  type WantedChange,
  hasQuantity,
} from './choices.ts';
import { describePrice } from './facts.ts';
import type { Problem } from './texts.ts';
import {
  describeProblem,
  findOwnSubscription,
  readFormToken,
  redirectDone,
  sendPortalPage,
  writeFormToken,
  type CustomerVisit,
} from './visit.ts';
import { showExpiredForm } from './signIn.ts';

const conflict = 409;

/** Whether customers can change anything of a plan. */
export const isPlanOn = ({ planChange, quantityChange, addOns }: PortalSettings): boolean =>
  planChange || quantityChange || addOns;

const hasUnits = (choices: Choice[]): boolean => choices.some(({ units }) => hasQuantity(units));

const canChoose = ({ settings }: CustomerVisit, { addOns }: SubscriptionRow, choices: Choice[]): boolean =>
  choices.length > 1 ||
  (settings.quantityChange && hasUnits(choices)) ||
  (settings.addOns && (addOns ?? []).length > 0);

/** Returns whether the settings and the plans on sale leave something of a subscription to change. */
export const canChangePlan = async (visit: CustomerVisit, subscription: SubscriptionRow): Promise<boolean> =>
  isPlanOn(visit.settings) && canChoose(visit, subscription, await listChoices(visit, subscription));

/** Shows the form with the choices. */
export async function showPlanForm(visit: CustomerVisit, problem?: Problem): Promise<FastifyReply> {
  const { texts, base, settings } = visit;
  const subscription = await findOwnSubscription(visit);
  const choices = await listChoices(visit, subscription);
  const form = html`<form method="get" action="${base}/subscriptions/${subscription.id}/plan/preview">
    ${choices.length > 1 ? renderChoices(visit, choices) : undefined}
    ${settings.quantityChange && hasUnits(choices) ? renderQuantity('quantity', texts.quantity, findShownQuantity(subscription)) : undefined}
    ${settings.addOns ? renderAddOnFields(visit, subscription) : undefined}
    <button>${texts.preview}</button>
  </form> `;
  const content = html`${canChoose(visit, subscription, choices) ? form : html`<p>${texts.onePlan}</p> `}
  ${renderBack(visit, subscription)}`;
  return sendPortalPage(visit, {
    title: texts.changePlan,
    content,
    at: 'subscriptions',
    ...(problem && { problem: describeProblem(visit, problem), status: conflict }),
  });
}

const renderChoices = (visit: CustomerVisit, choices: Choice[]): Html =>
  html`<fieldset>
    <legend>${visit.texts.plan}</legend>
    ${choices.map((choice) => renderChoice(visit, choice, choices[0]!))}
  </fieldset> `;

function renderChoice(
  visit: CustomerVisit,
  { priceId, name, amountMinor, price, units, isCurrent }: Choice,
  { price: own }: Choice,
): Html {
  const { texts } = visit;
  const terms = price ?? own;
  const amount = terms && describePrice(visit, terms, amountMinor, units);
  return html`<label class="method">
    <input type="radio" name="plan" value="${priceId}" required ${isCurrent ? html`checked` : undefined} />
    <span
      ><bdi>${name}</bdi
      >${isCurrent ? html` <small>${texts.currentPlan}</small>` : undefined}${amount && html`<small><bdi>${amount}</bdi></small>`}</span
    >
  </label> `;
}

const renderQuantity = (name: string, label: string, quantity: number, hint?: string): Html =>
  renderField({
    name,
    label: html`<bdi>${label}</bdi>`,
    value: String(quantity),
    autocomplete: 'off',
    maxLength: 9,
    ...(hint !== undefined && { hint: html`${hint}` }),
  });

const renderAddOnFields = (visit: CustomerVisit, { addOns }: SubscriptionRow): Html[] =>
  (addOns ?? []).map(({ priceId, productName, quantity }) =>
    renderQuantity(addOnField + priceId, productName, quantity, visit.texts.removeAddOn),
  );

const renderBack = ({ base, texts }: CustomerVisit, { id }: SubscriptionRow): Html =>
  html`<p><a href="${base}/subscriptions/${id}">${texts.back}</a></p> `;

/** A change with the instant as of which it is computed. */
interface Request {
  subscription: SubscriptionRow;
  change: WantedChange;
  at: string;
}

const isEmpty = (change: WantedChange): boolean => Object.keys(change).length === 0;

/** Names the form of a change: its token is valid for these fields only. */
const nameForm = ({ id }: SubscriptionRow, fields: [name: string, value: string][]): string =>
  `subscriptions/${id}/plan|${JSON.stringify(fields)}`;

/** Shows exactly what the change charges, and asks. */
export async function showPlanPreview(visit: CustomerVisit): Promise<FastifyReply> {
  const subscription = await findOwnSubscription(visit);
  const choices = await listChoices(visit, subscription);
  const { change, isRefused } = readChange(visit, visit.query, subscription, choices);
  if (isRefused) return showPlanForm(visit, 'quantityRefused');
  return preview(visit, { subscription, change, at: visit.tenant.now() });
}

async function preview(visit: CustomerVisit, request: Request, problem?: Problem): Promise<FastifyReply> {
  const { subscription, change, at } = request;
  if (isEmpty(change)) return showUnchanged(visit, subscription);
  let effect: BillPreview;
  try {
    effect = await previewSubscriptionChange(visit.tenant, subscription.id, { ...change, at });
  } catch (error) {
    return showPlanForm(visit, toProblem(error));
  }
  const { texts, base, formats } = visit;
  const { totalMinor, currency, nextInvoice, effectiveAt } = effect;
  const isNow = effectiveAt <= at;
  const rows = [
    { label: texts.effective, value: isNow ? texts.now : formats.day(effectiveAt) },
    ...(nextInvoice
      ? [
          {
            label: texts.chargedThen,
            value: fillText(texts.amountOn, {
              amount: formats.money(nextInvoice.totalMinor, nextInvoice.currency),
              day: formats.day(nextInvoice.date),
            }),
          },
        ]
      : []),
  ];
  const chosen = await nameChosen(visit, request);
  const fields = listFields(request);
  const bill = await renderBill(visit, effect, { before: subscription.productName, after: chosen });
  const content = html`${bill}${renderSummary(rows)}
    <form method="post" action="${base}/subscriptions/${subscription.id}/plan">
      ${renderToken(writeFormToken(visit, nameForm(subscription, fields), totalMinor))}
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button>
        ${totalMinor === 0n ? texts.confirmFree : fillText(texts.confirmCharge, { amount: formats.money(totalMinor, currency) })}
      </button>
    </form>
    <p><a href="${base}/subscriptions/${subscription.id}/plan">${texts.back}</a></p> `;
  return sendPortalPage(visit, {
    title: texts.previewTitle,
    content,
    at: 'subscriptions',
    ...(problem && { problem: describeProblem(visit, problem), status: conflict }),
  });
}

const showUnchanged = (visit: CustomerVisit, subscription: SubscriptionRow): FastifyReply =>
  sendPortalPage(visit, {
    title: visit.texts.previewTitle,
    content: html`<p>${visit.texts.nothingChanges}</p>
      ${renderBack(visit, subscription)}`,
    at: 'subscriptions',
  });

async function nameChosen(visit: CustomerVisit, { subscription, change }: Request): Promise<string> {
  const choices = await listChoices(visit, subscription);
  return choices.find(({ priceId }) => priceId === change.priceId)?.name ?? subscription.productName;
}

/** Lists the fields of the form that asks for a change. */
const listFields = ({ subscription, change, at }: Request): [name: string, value: string][] => [
  ['at', at],
  ['plan', change.priceId ?? subscription.priceId],
  ...(change.quantity === undefined ? [] : [['quantity', String(change.quantity)] as [string, string]]),
  ...(change.addOns ? listAddOnFields(subscription, change.addOns) : []),
];

/** Lists all add-ons of the subscription; one that is removed has the quantity 0. */
const listAddOnFields = (
  { addOns }: SubscriptionRow,
  wanted: NonNullable<WantedChange['addOns']>,
): [string, string][] =>
  (addOns ?? []).map(({ priceId }) => [
    addOnField + priceId,
    String(wanted.find((each) => each.priceId === priceId)?.quantity ?? 0),
  ]);

/**
 * Makes the change that a preview showed, computed as of the instant of the preview. It is refused if more would be charged
 * than was shown.
 */
export async function changePlan(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, form } = visit;
  const subscription = await findOwnSubscription(visit);
  const fields = [...form].filter(([name]) => name !== 'token');
  const shownMinor = readFormToken(visit, nameForm(subscription, fields));
  if (shownMinor === undefined) return showExpiredForm(visit);
  const choices = await listChoices(visit, subscription);
  const { change } = readChange(visit, form, subscription, choices);
  // The form was sent before.
  if (isEmpty(change)) return redirectDone(visit, `/subscriptions/${subscription.id}`, 'changed');
  const request = { subscription, change, at: form.get('at')! };
  try {
    await changeSubscription(
      tenant,
      subscription.id,
      { ...change, at: request.at },
      {
        amountMinor: shownMinor,
        currency: subscription.currency,
        isMost: true,
      },
    );
  } catch (error) {
    return showRefusedChange(visit, request, error);
  }
  const changed = await findOwnSubscription(visit);
  const isLater = changed.nextIntentId !== null && changed.nextIntentId !== subscription.nextIntentId;
  return redirectDone(visit, `/subscriptions/${subscription.id}`, isLater ? 'changeScheduled' : 'changed');
}

function showRefusedChange(
  visit: CustomerVisit,
  request: Request,
  error: unknown,
): Promise<FastifyReply> | FastifyReply {
  const problem = toProblem(error);
  if (problem === 'amountIncreased') return preview(visit, { ...request, at: visit.tenant.now() }, problem);
  const url = (error as BillingError).issues.find(({ actionUrl }) => actionUrl !== undefined)?.actionUrl;
  if (url === undefined || !isWebUrl(url)) return showPlanForm(visit, problem);
  return showBankPage(visit, url);
}

/** Shows the link to the bank, where the customer confirms the payment, or to the `provider`, where they enter a method. */
export function showBankPage(
  visit: CustomerVisit,
  url: string,
  place: 'bank' | 'provider' = 'bank',
): FastifyReply {
  const { texts } = visit;
  const [title, lead] =
    place === 'bank'
      ? [texts.confirmAtBank, texts.confirmAtBankLead]
      : [texts.enterAtProvider, texts.enterAtProviderLead];
  return sendPortalPage(visit, {
    title,
    content: html`<p>${lead}</p>
      <p><a class="button" href="${new URL(url).href}">${title}</a></p> `,
  });
}

/** Returns the problem of a refused change. Throws errors that are no refusals. */
function toProblem(error: unknown): Problem {
  if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
  const { reason, issues } = error;
  if (reason === 'payment_failed') return 'paymentDeclined';
  if (reason === 'amount_changed' || issues.some(({ path }) => path === 'at')) return 'amountIncreased';
  if (issues.some(({ path }) => path.toLowerCase().endsWith('quantity'))) return 'quantityRefused';
  return 'notPossible';
}

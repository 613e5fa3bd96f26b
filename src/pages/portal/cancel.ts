/** Cancelling a subscription: when, why, and the offer to stay. */
import type { FastifyReply } from 'fastify';
import { findCoupon } from '../../billing/discounts/coupons.ts';
import { applyDiscount, listDiscountsOf } from '../../billing/discounts/discounts.ts';
import { assertRedeemable } from '../../billing/discounts/redemption.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import { html, type Html } from '../../lib/html.ts';
import { choosePlural, fillText } from '../../lib/texts.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import {
  cancellationReasons,
  cancelSubscription,
  type CancellationReason,
} from '../../billing/subscriptions/lifecycle.ts';
import { previewCancellation } from '../../billing/subscriptions/cancellationPreview.ts';
import { computeStatus, type SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import { renderToken } from '../shared/components.ts';
import { renderBill } from './bill.ts';
import { showSubscription } from './subscription.ts';
import {
  findOwnSubscription,
  redirectDone,
  sendPortalPage,
  writeFormToken,
  type CustomerVisit,
} from './visit.ts';

type Coupon = Row<'coupons'>;
type When = 'period_end' | 'now';

/** Returns when the subscription can end: by the settings, and at once if no paid period is in progress. */
function listTimes(
  { settings, tenant }: CustomerVisit,
  { currentPeriodEnd, openInvoiceId }: SubscriptionRow,
): When[] {
  if (settings.cancellation === 'off') return [];
  const hasPeriod = currentPeriodEnd !== null && (openInvoiceId !== null || currentPeriodEnd > tenant.now());
  if (settings.cancellation === 'now' || !hasPeriod) return ['now'];
  return settings.cancellation === 'both' ? ['period_end', 'now'] : ['period_end'];
}

/** Shows the form of the cancellation. */
export async function showCancelForm(visit: CustomerVisit): Promise<FastifyReply> {
  const { texts, base, settings, tenant } = visit;
  const subscription = await findOwnSubscription(visit);
  const { id, cancelledAt, cancelAtPeriodEnd } = subscription;
  if (cancelledAt !== null || cancelAtPeriodEnd) return visit.redirect(`${base}/subscriptions/${id}`);
  const path = `subscriptions/${id}/cancel`;
  const isOwed = computeStatus(subscription, tenant.now()) === 'past_due';
  const content = html`<form method="post" action="${base}/${path}">
      ${renderToken(writeFormToken(visit, path))}${renderTimes(visit, subscription)}
      ${await renderFinalInvoices(visit, subscription)}
      ${isOwed ? html`<p class="soft">${texts.cancelPastDue}</p> ` : undefined}
      ${settings.cancellationReasons ? renderReasons(visit) : undefined}
      <button class="bad">${texts.cancel}</button>
    </form>
    <p><a href="${base}/subscriptions/${id}">${texts.keep}</a></p> `;
  return sendPortalPage(visit, {
    title: visit.fill(texts.cancelTitle, { product: subscription.productName }),
    content,
    at: 'subscriptions',
  });
}

function renderTimes(visit: CustomerVisit, subscription: SubscriptionRow): Html {
  const { texts, formats } = visit;
  const times = listTimes(visit, subscription);
  const end = formats.day(subscription.currentPeriodEnd ?? visit.tenant.now());
  const labels: Record<When, Html> = {
    period_end: html`${fillText(texts.cancelAtEnd, { day: end })}`,
    now: html`${texts.cancelNow}<small>${texts.cancelNowHint}</small>`,
  };
  return html`<fieldset>
    <legend>${texts.cancelWhen}</legend>
    ${times.map(
      (time, index) =>
        html`<label class="method">
          <input
            type="radio"
            name="when"
            value="${time}"
            required
            ${index === 0 ? html`checked` : undefined}
          />
          <span>${labels[time]}</span>
        </label> `,
    )}
  </fieldset> `;
}

/** Renders the final invoice for each time at which the subscription can end; once if they are the same. */
async function renderFinalInvoices(visit: CustomerVisit, subscription: SubscriptionRow): Promise<Html[]> {
  const { texts, formats, tenant } = visit;
  const { id, productName } = subscription;
  const shown = new Map<string, Html>();
  for (const time of listTimes(visit, subscription)) {
    const scope = { read: tenant.read, now: tenant.now() };
    const bill = await previewCancellation(scope, id, time === 'period_end');
    if (bill.lines.length === 0) continue;
    const products = { before: productName, after: productName };
    const lead = fillText(texts.finalInvoiceLead, { day: formats.day(bill.effectiveAt) });
    const rendered = html`<p><bdi>${lead}</bdi></p>
      ${await renderBill(visit, bill, products, texts.finalInvoice)}`;
    shown.set(`${bill.effectiveAt} ${bill.totalMinor}`, rendered);
  }
  return [...shown.values()];
}

const renderReasons = ({ texts }: CustomerVisit): Html =>
  html`<fieldset>
      <legend>${fillText(texts.optional, { label: texts.cancelWhy })}</legend>
      ${cancellationReasons.map(
        (reason) =>
          html`<label class="choice">
            <input type="radio" name="reason" value="${reason}" /> <span>${texts.reasons[reason]}</span>
          </label> `,
      )}
    </fieldset>
    <p class="field">
      <label for="comment">${fillText(texts.optional, { label: texts.comment })}</label>
      <textarea id="comment" name="comment" rows="3" maxlength="1000"></textarea>
    </p> `;

/** Cancels, or first offers a discount to stay. */
export async function cancel(visit: CustomerVisit): Promise<FastifyReply> {
  const { form, tenant, customer } = visit;
  const subscription = await findOwnSubscription(visit);
  const times = listTimes(visit, subscription);
  const wanted = times.find((time) => time === form.get('when')) ?? times[0]!;
  const reason = cancellationReasons.find((each) => each === form.get('reason'));
  const comment = form.get('comment');
  const offer = form.has('declined') ? undefined : await findOffer(visit, subscription);
  if (offer) return showOffer(visit, subscription, offer, { wanted, reason, comment });
  const input = { customerId: customer.id, atPeriodEnd: wanted === 'period_end', reason, comment };
  try {
    const { cancelledAt } = await tenant.write((unit) => cancelSubscription(unit, subscription.id, input));
    const notice = cancelledAt === null ? 'cancellationScheduled' : 'cancelled';
    return redirectDone(visit, `/subscriptions/${subscription.id}`, notice);
  } catch (error) {
    if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
    return showSubscription(visit, 'notPossible');
  }
}

/** Returns the coupon that is offered: once, and only if it can be redeemed. */
async function findOffer(
  { tenant, settings }: CustomerVisit,
  subscription: SubscriptionRow,
): Promise<Coupon | undefined> {
  const { retentionCouponId } = settings;
  const { id, customerId, cancelledAt } = subscription;
  if (retentionCouponId === null || cancelledAt !== null) return undefined;
  const present = await listDiscountsOf(tenant.read, customerId, id);
  if (present.some(({ couponId }) => couponId === retentionCouponId)) return undefined;
  try {
    const coupon = await findCoupon(tenant.read, retentionCouponId);
    const purchase = { customerId, order: subscription, present };
    await assertRedeemable(tenant.read, { coupon, path: 'couponId' }, purchase, tenant.now());
    return coupon;
  } catch (error) {
    if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
    return undefined;
  }
}

function showOffer(
  visit: CustomerVisit,
  { id }: SubscriptionRow,
  coupon: Coupon,
  {
    wanted,
    reason,
    comment,
  }: { wanted: When; reason?: CancellationReason | undefined; comment: string | null },
): FastifyReply {
  const { texts, base } = visit;
  const [accept, decline] = [`subscriptions/${id}/offer`, `subscriptions/${id}/cancel`];
  const given = { when: wanted, reason: reason ?? '', comment: comment ?? '', declined: 'yes' };
  const content = html`<p class="discount">
      <strong>${describeOffer(visit, coupon)}</strong> <span>${describeDuration(visit, coupon)}</span>
    </p>
    <form method="post" action="${base}/${accept}">
      ${renderToken(writeFormToken(visit, accept))}<button>${texts.acceptOffer}</button>
    </form>
    <form method="post" action="${base}/${decline}">
      ${renderToken(writeFormToken(visit, decline))}
      ${Object.entries(given).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button class="second">${texts.cancelAnyway}</button>
    </form> `;
  return sendPortalPage(visit, { title: texts.offerTitle, content, at: 'subscriptions' });
}

const describeOffer = (
  { texts, formats }: CustomerVisit,
  { percentOff, amountOffMinor, currency }: Coupon,
): string =>
  percentOff === null
    ? fillText(texts.offerAmount, { amount: formats.money(amountOffMinor!, currency!) })
    : fillText(texts.offerPercent, { percent: formats.percent(percentOff) });

function describeDuration(
  { language, texts, formats }: CustomerVisit,
  { duration, durationInMonths }: Coupon,
): string {
  if (duration === 'repeating') {
    const months = durationInMonths!;
    return fillText(choosePlural(language, texts.offerMonths, months), { count: formats.number(months) });
  }
  return duration === 'once' ? texts.offerOnce : texts.offerForever;
}

/** Applies the offered discount instead of cancelling; a repeated form changes nothing. */
export async function acceptOffer(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, settings } = visit;
  const subscription = await findOwnSubscription(visit);
  const path = `/subscriptions/${subscription.id}`;
  const couponId = settings.retentionCouponId;
  if (couponId === null) return showSubscription(visit, 'codeUnusable');
  try {
    await tenant.write(async (unit) => {
      const present = await listDiscountsOf(unit, subscription.customerId, subscription.id);
      if (present.some((each) => each.couponId === couponId)) return;
      await applyDiscount(unit, { subscriptionId: subscription.id, couponId });
    });
  } catch (error) {
    if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
    return showSubscription(visit, 'codeUnusable');
  }
  return redirectDone(visit, path, 'discountApplied');
}

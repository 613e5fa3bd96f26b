/** The page of a subscription, and what a customer does with it at once. */
import type { FastifyReply } from 'fastify';
import { applyDiscount } from '../../billing/discounts/discounts.ts';
import { redeemEnteredCode } from '../../billing/discounts/codeAttempts.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import { html, type Html } from '../../lib/html.ts';
import { fillText } from '../../lib/texts.ts';
import { mayInPortal } from '../../access/portal/permissions.ts';
import { cancelScheduledChange } from '../../billing/subscriptions/changes/applyPlanChange.ts';
import {
  pauseSubscription,
  resumeSubscription,
  uncancelSubscription,
} from '../../billing/subscriptions/lifecycle.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { renderToken } from '../shared/components.ts';
import { getRetryHeaders } from '../../http/retryHeaders.ts';
import { nameSubscription, nameUnits, readFacts, type SubscriptionFacts } from './facts.ts';
import { renderHead, renderNext } from './overview.ts';
import { canChangePlan } from './plan.ts';
import type { Notice, Problem } from './texts.ts';
import { renderUsage } from './usage.ts';
import {
  describeProblem,
  findOwnSubscription,
  redirectDone,
  renderAction,
  sendPortalPage,
  writeFormToken,
  type CustomerVisit,
} from './visit.ts';

const conflict = 409;

/** Shows a subscription with everything that the settings allow. */
export const showSubscription = (visit: CustomerVisit, problem?: Problem): Promise<FastifyReply> =>
  showWithProblem(visit, problem && { problem: describeProblem(visit, problem), status: conflict });

function showTooManyCodes(visit: CustomerVisit, error: BillingError): Promise<FastifyReply> {
  const { texts, formats, reply } = visit;
  void reply.headers(getRetryHeaders(error)!);
  const problem = fillText(texts.tooManyCodes, { when: formats.wait(error.retryAfterSeconds!) });
  return showWithProblem(visit, { problem, status: error.status });
}

async function showWithProblem(
  visit: CustomerVisit,
  refused?: { problem: string; status: number },
): Promise<FastifyReply> {
  const [facts] = await readFacts(visit, [await findOwnSubscription(visit)]);
  const { subscription } = facts!;
  const hasPlans = await canChangePlan(visit, subscription);
  const usage = await renderUsage(visit, subscription);
  const content = html`${renderHead(visit, facts!, false)}${renderNext(visit, facts!)}${renderAddOns(visit, facts!)}${usage}
  ${subscription.cancelledAt === null ? renderActions(visit, facts!, hasPlans) : undefined}`;
  return sendPortalPage(visit, {
    title: nameSubscription(visit, subscription),
    content,
    at: 'subscriptions',
    ...refused,
  });
}

function renderAddOns(visit: CustomerVisit, { subscription }: SubscriptionFacts): Html | undefined {
  const addOns = subscription.addOns ?? [];
  if (addOns.length === 0) return undefined;
  return html`<h2 class="part">${visit.texts.addOns}</h2>
    <ul>
      ${addOns.map(({ productName, quantity }) => html`<li><bdi>${nameUnits(visit, productName, quantity)}</bdi></li> `)}
    </ul> `;
}

function renderActions(
  visit: CustomerVisit,
  { subscription, status, scheduled }: SubscriptionFacts,
  hasPlans: boolean,
): Html {
  const { base, texts, settings, session } = visit;
  const mayChange = mayInPortal(session, 'manage_subscriptions');
  const { id, cancelAtPeriodEnd, cancelAt } = subscription;
  const path = `subscriptions/${id}`;
  const ends = cancelAtPeriodEnd || cancelAt !== null;
  const isRunning = status === 'active' || status === 'trialing';
  const link = (to: string, label: string, style: string) =>
    html`<p><a class="button ${style}" href="${base}/${path}/${to}">${label}</a></p> `;
  return html`<div class="actions">
    ${scheduled && mayChange ? renderAction(visit, `${path}/undo-change`, texts.undoChange, { style: 'second' }) : undefined}
    ${ends && mayChange ? renderAction(visit, `${path}/undo-cancel`, texts.undoCancel) : undefined}
    ${isRunning && !ends && hasPlans ? link('plan', texts.changePlan, '') : undefined}
    ${status === 'paused' && settings.pause ? renderAction(visit, `${path}/resume`, texts.resume) : undefined}
    ${settings.promotionCodes && !ends ? renderCodeForm(visit, path) : undefined}
    ${isRunning && !ends && settings.pause ? renderAction(visit, `${path}/pause`, texts.pause, { style: 'second' }) : undefined}
    ${!ends && settings.cancellation !== 'off' ? link('cancel', texts.cancel, 'second') : undefined}
  </div> `;
}

const renderCodeForm = (visit: CustomerVisit, path: string): Html =>
  html`<form method="post" action="${visit.base}/${path}/code">
    ${renderToken(writeFormToken(visit, `${path}/code`))}
    <p class="code">
      <label for="code">${visit.texts.promotionCode}</label>
      <span>
        <input id="code" name="code" autocomplete="off" autocapitalize="characters" maxlength="64" required />
        <button class="second">${visit.texts.apply}</button>
      </span>
    </p>
  </form> `;

/** Performs an act on the subscription of the path, then shows its page. An act may return its refusal. */
const perform =
  (
    act: (unit: UnitOfWork, id: string, visit: CustomerVisit) => Promise<unknown>,
    notice: Notice,
    refused: Problem,
  ) =>
  async (visit: CustomerVisit): Promise<FastifyReply> => {
    const { id } = await findOwnSubscription(visit);
    try {
      const result = await visit.tenant.write((unit) => act(unit, id, visit));
      if (result instanceof BillingError) return await showSubscription(visit, refused);
    } catch (error) {
      if (error instanceof BillingError && error.reason === 'too_many_attempts')
        return showTooManyCodes(visit, error);
      if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
      return showSubscription(visit, refused);
    }
    return redirectDone(visit, `/subscriptions/${id}`, notice);
  };

export const undoCancellation = perform(uncancelSubscription, 'cancellationUndone', 'notPossible');
export const undoChange = perform(cancelScheduledChange, 'changeUndone', 'notPossible');
export const pause = perform((unit, id) => pauseSubscription(unit, id), 'paused', 'notPossible');
export const resume = perform(resumeSubscription, 'resumed', 'notPossible');
export const applyCode = perform(
  (unit, subscriptionId, { customer, network, now, form }) =>
    redeemEnteredCode(unit, { id: customer.id, network }, now, () =>
      applyDiscount(unit, { subscriptionId, promotionCode: form.get('code') ?? '' }),
    ),
  'codeApplied',
  'codeUnusable',
);

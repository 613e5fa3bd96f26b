/** The first page of the portal: the customer's subscriptions and balance. */
import type { FastifyReply } from 'fastify';
import { sumGrants } from '../../billing/invoices/creditGrants.ts';
import { sumBalances } from '../../billing/invoices/credits.ts';
import { html, type Html } from '../../lib/html.ts';
import { findQuantity } from '../../billing/subscriptions/changes/agreement.ts';
import type { SubscriptionRow } from '../../billing/subscriptions/subscriptions.ts';
import { formatCredits } from '../../billing/pricing/creditUnits.ts';
import { sumItems } from '../../billing/pricing/invoiceLines.ts';
import { renderSummary } from '../shared/components.ts';
import { describeNext, describePrice, nameSubscription, readFacts, type SubscriptionFacts } from './facts.ts';
import { renderUnpaid } from './unpaid.ts';
import { sendPortalPage, type CustomerVisit } from './visit.ts';

const mostShown = 50;
const mostEnded = 5;

/** Why a payment was refused. */
interface Refusal {
  text: string;
  status: number;
}

/** Shows the unpaid invoices, the running subscriptions, and those that ended last. */
export async function showOverview(visit: CustomerVisit, refusal?: Refusal): Promise<FastifyReply> {
  const { texts } = visit;
  const facts = await readFacts(visit, await listShown(visit));
  const content = html`${await renderUnpaid(visit)}${facts.length === 0 ? html`<p>${texts.noSubscriptions}</p> ` : facts.map((each) => renderCard(visit, each))}
  ${await renderBalance(visit)}`;
  return sendPortalPage(visit, {
    title: texts.subscriptions,
    content,
    at: 'subscriptions',
    hasHeadline: true,
    ...(refusal && { problem: refusal.text, status: refusal.status }),
  });
}

async function listShown({ tenant, customer }: CustomerVisit) {
  const rows = await tenant.read.many('subscriptions', {
    where: { customerId: customer.id },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: mostShown,
  });
  const running = rows.filter(({ cancelledAt }) => cancelledAt === null);
  const ended = rows.filter(({ cancelledAt }) => cancelledAt !== null).slice(0, mostEnded);
  return [...running, ...ended];
}

function renderCard(visit: CustomerVisit, facts: SubscriptionFacts): Html {
  const { base, texts } = visit;
  const { subscription } = facts;
  return html`<section class="card">
    ${renderHead(visit, facts, true)}${renderNext(visit, facts, false)}
    ${
      subscription.cancelledAt === null
        ? html`<p>
            <a class="button second" href="${base}/subscriptions/${subscription.id}"
              >${texts.manage}<span class="hidden"> <bdi>${subscription.productName}</bdi></span></a
            >
          </p> `
        : undefined
    }
  </section> `;
}

/** The price of a subscription with add-ons is that of all its items, so that no unit has it. */
const findUnits = (subscription: SubscriptionRow) => ({
  pricing: (subscription.addOns ?? []).length > 0 ? null : subscription.pricing,
  quantity: findQuantity(subscription),
});

/** Renders the status and the price of a subscription, and its name where the page has several. */
export function renderHead(
  visit: CustomerVisit,
  { subscription, status }: SubscriptionFacts,
  hasName: boolean,
): Html {
  const tag = html`<span class="status ${status}">${visit.texts.statuses[status]}</span>`;
  const price = html`<span class="schedule"
    ><bdi>${describePrice(visit, subscription, sumItems(subscription), findUnits(subscription))}</bdi></span
  >`;
  if (!hasName) return html`<div class="head">${price}${tag}</div> `;
  return html`<div class="head">
      <h2><bdi>${nameSubscription(visit, subscription)}</bdi></h2>
      ${tag}
    </div>
    <p class="schedule">${price}</p> `;
}

/**
 * Renders the next invoice or the end of a subscription, and how to pay an unpaid invoice unless the page says that
 * elsewhere.
 */
export function renderNext(visit: CustomerVisit, facts: SubscriptionFacts, hasFix = true): Html {
  const { base, texts, settings } = visit;
  const isOwed = facts.status === 'past_due';
  const sentences = describeNext(visit, facts).map(
    (each) => html`<p class="${isOwed ? 'notice' : 'soft'}"><bdi>${each}</bdi></p> `,
  );
  const fix = isOwed && hasFix && settings.paymentMethods;
  return html`${sentences}${fix ? html`<p><a class="button" href="${base}/payment-methods">${texts.fixPayment}</a></p> ` : undefined}`;
}

async function renderBalance({
  tenant,
  customer,
  settings,
  texts,
  formats,
}: CustomerVisit): Promise<Html | undefined> {
  if (!settings.balance) return undefined;
  const credits = await tenant.read.many('balanceEntries', {
    where: { customerId: customer.id, remainingMinor: { after: 0n } },
  });
  const sums = sumBalances(credits, tenant.now()).map(({ amountMinor, currency }) => ({
    label: texts.balance,
    value: formats.money(amountMinor, currency),
  }));
  const beforeTax = sumGrants(
    // A customer does not distinguish credit that was sold from credit that was given.
    credits
      .filter((credit) => credit.beforeTax === true)
      .map((credit) => ({ ...credit, category: 'promotional' })),
    tenant.now(),
  );
  const types = await readTypeNames(tenant.read, beforeTax);
  const grants = beforeTax.map(({ amountMinor, currency, creditTypeId }) =>
    creditTypeId === null
      ? { label: texts.creditForBills, value: formats.money(amountMinor, currency) }
      : {
          label: html`<bdi>${types.get(creditTypeId)}</bdi>`,
          value: formats.number(Number(formatCredits(amountMinor))),
        },
  );
  return sums.length + grants.length === 0 ? undefined : renderSummary([...sums, ...grants]);
}

/** Returns the names of the credit types of grants, by their id. */
async function readTypeNames(
  reads: CustomerVisit['tenant']['read'],
  grants: { creditTypeId: string | null }[],
): Promise<Map<string, string>> {
  const id = [...new Set(grants.flatMap(({ creditTypeId }) => creditTypeId ?? []))];
  if (id.length === 0) return new Map();
  const types = await reads.many('creditTypes', { where: { id } });
  return new Map(types.map((type) => [type.id, type.name]));
}

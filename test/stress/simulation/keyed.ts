import type Database from 'better-sqlite3';
import type { Random } from '../../../src/lib/random.ts';
import { cardNames } from './bank.ts';
import type { Place } from './world.ts';

/** A mutation that is sent with one key to every gateway. */
export interface Keyed {
  query: string;
  variables: Record<string, unknown>;
}

type Build = (
  random: Random,
  place: Place,
  pickId: (table: string, where?: string) => string | undefined,
) => Keyed | undefined;

const onId =
  (mutation: string, table: string, where: string, args = ''): Build =>
  (_, __, pickId) => {
    const id = pickId(table, where);
    return id === undefined
      ? undefined
      : { query: `mutation ($id: ID!) { ${mutation}(id: $id${args}) { id } }`, variables: { id } };
  };

const money = (random: Random, { currency }: Place) => ({ amount: random.whole(1, 90), currency });
const running = 'cancelled_at IS NULL';
const oneOff = "billing_reason = 'one_off' AND status";

const builds: Record<string, [weight: number, build: Build]> = {
  payInvoice: [6, onId('payInvoice', 'invoices', "status = 'open'")],
  voidInvoice: [1, onId('voidInvoice', 'invoices', `${oneOff} IN ('open', 'draft')`)],
  finalizeInvoice: [2, onId('finalizeInvoice', 'invoices', "status = 'draft'")],
  refundInvoice: [5, onId('refundInvoice', 'invoices', "status = 'paid'", ', amount: 3')],
  cancelNow: [1, onId('cancelSubscription', 'subscriptions', running)],
  cancelLater: [2, onId('cancelSubscription', 'subscriptions', running, ', input: { atPeriodEnd: true }')],
  pause: [1, onId('pauseSubscription', 'subscriptions', running)],
  resume: [2, onId('resumeSubscription', 'subscriptions', 'paused_at IS NOT NULL')],
  endTrial: [2, onId('endTrial', 'subscriptions', `${running} AND trial_ends_at IS NOT NULL`)],
  createInvoice: [
    6,
    (random, place, pickId) => {
      const customerId = pickId('customers');
      const items = [{ amount: money(random, place), description: 'Work' }];
      return customerId === undefined
        ? undefined
        : {
            query:
              'mutation ($customerId: ID!, $items: [OneOffChargeInput!]!) { createInvoice(input: { customerId: $customerId, items: $items }) { id status } }',
            variables: { customerId, items },
          };
    },
  ],
  createCreditNote: [
    5,
    (random, place, pickId) => {
      const invoiceId = pickId('invoices', "status IN ('open', 'paid')");
      const kind = random.pick(['credit', 'refund']);
      return invoiceId === undefined
        ? undefined
        : {
            query:
              'mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id documentNumber } }',
            variables: { input: { invoiceId, kind, amount: money(random, place) } },
          };
    },
  ],
  changeSubscription: [
    6,
    (random, _, pickId) => {
      const id = pickId('subscriptions', `${running} AND quantity IS NOT NULL`);
      const billing = random.pick(['charge_now', 'next_invoice', 'period_end', 'reset', 'none']);
      return id === undefined
        ? undefined
        : {
            query:
              'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id quantity } }',
            variables: { id, input: { quantity: random.whole(1, 20), billing } },
          };
    },
  ],
  confirmIntent: [
    4,
    (random, _, pickId) => {
      const id = pickId('intents', "status = 'requires_payment_method'");
      return id === undefined
        ? undefined
        : {
            query:
              'mutation ($id: ID!, $method: String!) { confirmIntent(id: $id, input: { paymentMethod: $method }) { id status } }',
            variables: { id, method: random.pick(cardNames) },
          };
    },
  ],
  createCreditGrant: [
    3,
    (random, place, pickId) => {
      const customerId = pickId('customers');
      const input = {
        customerId,
        name: 'Package',
        amount: money(random, place),
        category: random.pick(['paid', 'promotional']),
        priority: random.whole(0, 100),
      };
      return customerId === undefined
        ? undefined
        : {
            query: 'mutation ($input: CreateCreditGrantInput!) { createCreditGrant(input: $input) { id } }',
            variables: { input },
          };
    },
  ],
  voidCreditGrant: [1, onId('voidCreditGrant', 'balance_entries', "kind = 'grant'")],
  grantCredit: [
    2,
    (random, place, pickId) => {
      const customerId = pickId('customers');
      return customerId === undefined
        ? undefined
        : {
            query:
              'mutation ($customerId: ID!, $amount: MoneyInput!) { grantCredit(input: { customerId: $customerId, amount: $amount, reason: "Sorry" }) { id } }',
            variables: { customerId, amount: money(random, place) },
          };
    },
  ],
};
const weights = Object.fromEntries(Object.entries(builds).map(([name, [weight]]) => [name, weight]));

/** Builds a random mutation on the records of a tenant; undefined if there is nothing for it. */
export function buildKeyed(random: Random, place: Place, disk: Database.Database): Keyed | undefined {
  const pickId = (table: string, where = 'true') => {
    const ids = disk
      .prepare(`SELECT id FROM ${table} WHERE tenant_alias = ? AND ${where} ORDER BY id`)
      .pluck()
      .all(place.alias) as string[];
    return ids.length === 0 ? undefined : random.pick(ids);
  };
  return builds[random.weighted(weights)]![1](random, place, pickId);
}

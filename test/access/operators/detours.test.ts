/**
 * Detours around the table of roles: every act of the table that a caller can also reach by another road, tried by every
 * role and both kinds of keys. Whoever may not act directly may not by the other road either.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationPermissions } from '../../support/declarations.ts';
import {
  keyPermissions,
  permissionsByRole,
  roles,
  type Permission,
} from '../../../src/tenancy/permissions.ts';
import { startApp, type Answer, type Client, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { signInOperator } from '../../support/operators.ts';
import { openPortalBrowser, setPortal, wordsOf, type PortalBrowser } from '../../support/portal.ts';
import { createShop, type Shop } from '../../support/shop.ts';
import { inject } from '../../support/world.ts';

const publicUrl = 'http://pay.test';

interface Caller {
  name: string;
  permissions: readonly Permission[];
  post: (query: string, variables?: Record<string, unknown>) => Promise<Answer>;
}

let app: TestApp;
let clock: TestClock;
let client: Client;
let shop: Shop;
let price: any;
let trialPrice: any;
let couponId: string;
const callers: Record<string, Caller> = {};
/** Keys with permissions of their own. */
const limitedKeys: Record<string, readonly Permission[]> = {
  'a key for what support does': permissionsByRole.support,
  'a key for what finance does': permissionsByRole.finance,
  'a key for customers': ['read', 'manage_customers'],
  'a key for all but the catalogue': keyPermissions.write.filter((each) => each !== 'manage_catalog'),
};

beforeAll(async () => {
  clock = stoppedClock('2026-02-14T10:00:00.000Z');
  app = await startApp({ publicUrl, rateLimitPerSecond: '1000000' }, { clock });
  client = await app.tenant({ alias: 'acme', test: true });
  shop = createShop(client, 'acme');
  const seats = { price: { details: { amount: 10, currency: 'afn' }, model: 'per_unit' } };
  ({ price } = await shop.product({ ...seats, name: 'Basic' }));
  const trial = { details: { amount: 10, currency: 'afn' }, trialDays: 7 };
  trialPrice = (await shop.product({ price: trial, name: 'Tried' })).price;
  const coupon =
    'mutation { createCoupon(input: { name: "All", percentOff: "100", duration: forever }) { id } }';
  couponId = (await client.graphql(coupon)).createCoupon.id;
  const code =
    'mutation ($couponId: ID!) { createPromotionCode(input: { couponId: $couponId, code: "ALL" }) { id } }';
  await client.graphql(code, { couponId });
  await setPortal(client, {
    planChange: true,
    quantityChange: true,
    addOns: true,
    pause: true,
    promotionCodes: true,
    cancellation: 'both',
    retentionCouponId: couponId,
  });
  const add = (name: string, by: Pick<Caller, 'post'>, permissions: readonly Permission[]) =>
    (callers[name] = { name, post: (query, variables) => by.post(query, variables), permissions });
  add('a read key', await app.key('acme', 'read'), keyPermissions.read);
  add('a write key', client, keyPermissions.write);
  for (const [name, permissions] of Object.entries(limitedKeys))
    add(name, await app.key('acme', permissions), permissions);
  for (const role of roles)
    add(role, await signInOperator(app, { role, tenant: 'acme' }), permissionsByRole[role]);
});
afterAll(() => app.close());

interface Target {
  customer: any;
  subscriptionId: string;
}

async function subscribe(to = price, fields: object = { quantity: 2 }): Promise<Target> {
  const customer = await shop.customer();
  const { id } = await shop.subscribe(customer, to, fields);
  return { customer, subscriptionId: id };
}

const readSubscription = async (id: string) => {
  const document = `query ($id: ID!) { subscription(id: $id) {
    status quantity cancelAtPeriodEnd trialEndsAt pausedAt discounts { id } priceId scheduledChange { quantity }
  } }`;
  return (await client.graphql(document, { id })).subscription;
};

const reasonsOf = ({ body }: Answer) => body.errors?.[0]?.extensions;

/** Opens the portal by a link that the caller makes; undefined if they may not make it. */
async function openPortal(
  caller: Caller,
  input: Record<string, unknown>,
): Promise<PortalBrowser | undefined> {
  const link = 'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }';
  const answer = await caller.post(link, { input });
  if (!answer.body.data?.createPortalSession) {
    expect(['permission_missing', 'insufficient_scope']).toContain(reasonsOf(answer).reason);
    return undefined;
  }
  const browser = openPortalBrowser(app, publicUrl);
  const path = new URL(answer.body.data.createPortalSession.url).pathname;
  await browser.get(path);
  await browser.follow(await browser.submit(path));
  return browser;
}

/** Sends a form of a page, as its own button does; false if the page has no such form. */
async function submit(browser: PortalBrowser, page: string, form: string, fields = {}): Promise<boolean> {
  await browser.get(`/portal/acme${page}`);
  if (!new RegExp(`action="[^"]*${form}"`).test(browser.text)) return false;
  await browser.submit(form, fields);
  return true;
}

/**
 * Sends a form with the token of the same page in a session that may do everything: a page that only hides its button
 * still accepts the form, so the address itself has to refuse it.
 */
async function forge(
  browser: PortalBrowser,
  path: string,
  fields: Record<string, string> = {},
): Promise<number> {
  return (await browser.post(`/portal/acme${path}`, fields)).status;
}

interface Detour {
  /** The operation that does the same directly. */
  as: keyof typeof operationPermissions;
  /** What the road itself needs. */
  road: Permission;
  /** Tries it. Returns whether it happened, read by the key of the tenant. */
  attempt: (caller: Caller) => Promise<boolean>;
}

const inPortal =
  (
    make: () => Promise<Target>,
    act: (browser: PortalBrowser, target: Target) => Promise<unknown>,
    hasHappened: (target: Target) => Promise<boolean>,
  ) =>
  async (caller: Caller) => {
    const target = await make();
    const browser = await openPortal(caller, { customerId: target.customer.id });
    if (browser) await act(browser, target);
    return hasHappened(target);
  };

const order =
  'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id } }';
const change =
  'mutation ($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }';

/** Orders with further fields. Whether the order was taken. */
const ordering = (fields: () => object) => async (caller: Caller) => {
  const input = { ...shop.intentInput(await shop.customer(), price), ...fields(), tenantAlias: undefined };
  const answer = await caller.post(order, { input });
  const id = answer.body.data?.createSubscriptionIntent?.id;
  if (id) return true;
  expect(['permission_missing', 'insufficient_scope']).toContain(reasonsOf(answer).reason);
  return false;
};

/** Changes a subscription. Whether it was changed. */
const changing = (input: object) => async (caller: Caller) => {
  const { subscriptionId: id } = await subscribe();
  const answer = await caller.post(change, { id, input });
  if (answer.body.data?.changeSubscription) return true;
  // A key with `propose` asks for it instead.
  expect(['permission_missing', 'insufficient_scope', 'approval_required']).toContain(
    reasonsOf(answer).reason,
  );
  return false;
};

async function owe(): Promise<Target & { invoiceId: string }> {
  const target = await subscribe();
  const document = `mutation ($id: ID!) { createInvoice(
    input: { customerId: $id, items: [{ amount: { amount: 30, currency: "afn" }, description: "Workshop" }], collect: send_invoice }
  ) { id } }`;
  const { createInvoice } = await client.graphql(document, { id: target.customer.id });
  return { ...target, invoiceId: createInvoice.id };
}
const findInvoiceStatus = async (id: string) =>
  (await client.graphql('query ($id: ID!) { invoice(id: $id) { status } }', { id })).invoice.status;
const cancelAtEnd =
  'mutation ($id: ID!) { cancelSubscription(id: $id, input: { atPeriodEnd: true }) { id } }';
const path = ({ subscriptionId }: Target) => `/subscriptions/${subscriptionId}`;

const detours: Record<string, Detour> = {
  'cancelling in the portal': {
    as: 'cancelSubscription',
    road: 'manage_customers',
    attempt: inPortal(
      () => subscribe(),
      (browser, target) =>
        submit(browser, `${path(target)}/cancel`, 'cancel', { when: 'now', declined: 'yes' }),
      async ({ subscriptionId }) => (await readSubscription(subscriptionId)).status === 'cancelled',
    ),
  },
  'cancelling by a link to that page': {
    as: 'cancelSubscription',
    road: 'manage_customers',
    attempt: async (caller) => {
      const { customer, subscriptionId } = await subscribe();
      const flow = { type: 'cancel', subscriptionId };
      const browser = await openPortal(caller, { customerId: customer.id, flow });
      if (browser) await browser.submit('cancel', { when: 'now', declined: 'yes' });
      return (await readSubscription(subscriptionId)).status === 'cancelled';
    },
  },
  'taking a cancellation back in the portal': {
    as: 'uncancelSubscription',
    road: 'manage_customers',
    attempt: inPortal(
      async () => {
        const target = await subscribe();
        await client.graphql(cancelAtEnd, { id: target.subscriptionId });
        return target;
      },
      (browser, target) => submit(browser, path(target), 'undo-cancel'),
      async ({ subscriptionId }) => !(await readSubscription(subscriptionId)).cancelAtPeriodEnd,
    ),
  },
  'taking a change back in the portal': {
    as: 'cancelScheduledChange',
    road: 'manage_customers',
    attempt: inPortal(
      async () => {
        const target = await subscribe();
        await client.graphql(change, { id: target.subscriptionId, input: { quantity: 1 } });
        return target;
      },
      (browser, target) => submit(browser, path(target), 'undo-change'),
      async ({ subscriptionId }) => (await readSubscription(subscriptionId)).scheduledChange === null,
    ),
  },
  'pausing in the portal': {
    as: 'pauseSubscription',
    road: 'manage_customers',
    attempt: inPortal(
      () => subscribe(),
      (browser, target) => submit(browser, path(target), 'pause'),
      async ({ subscriptionId }) => (await readSubscription(subscriptionId)).pausedAt !== null,
    ),
  },
  'changing the quantity in the portal': {
    as: 'changeSubscription',
    road: 'manage_customers',
    attempt: inPortal(
      () => subscribe(),
      async (browser, target) => {
        await browser.get(`/portal/acme${path(target)}/plan/preview?plan=${price.id}&quantity=5`);
        if (/action="[^"]*plan"/.test(browser.text)) await browser.submit('plan');
      },
      async ({ subscriptionId }) => (await readSubscription(subscriptionId)).quantity === 5,
    ),
  },
  'a promotion code in the portal': {
    as: 'applyDiscount',
    road: 'manage_customers',
    attempt: inPortal(
      () => subscribe(),
      (browser, target) => submit(browser, path(target), 'code', { code: 'ALL' }),
      async ({ subscriptionId }) => (await readSubscription(subscriptionId)).discounts.length > 0,
    ),
  },
  'the offer to a customer who leaves the portal': {
    as: 'applyDiscount',
    road: 'manage_subscriptions',
    attempt: inPortal(
      () => subscribe(),
      async (browser, target) => {
        const isShown = await submit(browser, `${path(target)}/cancel`, 'cancel', { when: 'period_end' });
        if (isShown && /action="[^"]*offer"/.test(browser.text)) await browser.submit('offer');
      },
      async ({ subscriptionId }) => (await readSubscription(subscriptionId)).discounts.length > 0,
    ),
  },
  'paying an invoice in the portal': {
    as: 'payInvoice',
    road: 'manage_customers',
    attempt: async (caller) => {
      const { customer, invoiceId } = await owe();
      const browser = await openPortal(caller, { customerId: customer.id });
      if (browser) await submit(browser, '', `invoices/${invoiceId}/pay`);
      return (await findInvoiceStatus(invoiceId)) === 'paid';
    },
  },
  'paying an order on its page': {
    as: 'confirmIntent',
    road: 'read',
    attempt: async (caller) => {
      const { intentId: id } = await shop.intent(await shop.customer(), price);
      const { body } = await caller.post('query ($id: ID!) { intent(id: $id) { paymentUrl } }', { id });
      const link = body.data.intent.paymentUrl ?? `${publicUrl}/pay/${id}`;
      const url = new URL(link).pathname;
      const token = /name="token" value="([^"]+)"/.exec((await inject(app, { url })).text)?.[1];
      await inject(app, {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test' },
        payload: new URLSearchParams({ token: token ?? '', method: 'sandbox_ok' }).toString(),
      });
      const { intent } = await client.graphql('query ($id: ID!) { intent(id: $id) { status } }', { id });
      return intent.status === 'succeeded';
    },
  },
  'a coupon in an order': {
    as: 'applyDiscount',
    road: 'manage_subscriptions',
    attempt: ordering(() => ({ couponId })),
  },
  'free time in an order': {
    as: 'grantCredit',
    road: 'manage_subscriptions',
    attempt: ordering(() => ({ trialDays: 730 })),
  },
  'free time after a trial': {
    as: 'grantCredit',
    road: 'manage_subscriptions',
    attempt: async (caller) => {
      const { subscriptionId: id } = await subscribe(trialPrice, {});
      const extend =
        'mutation ($id: ID!) { extendTrial(id: $id, input: { trialEndsAt: "2027-12-31" }) { id } }';
      await caller.post(extend, { id });
      return (await readSubscription(id)).trialEndsAt.startsWith('2027-12-31');
    },
  },
  'a change that is not billed': {
    as: 'grantCredit',
    road: 'manage_subscriptions',
    attempt: changing({ quantity: 50, billing: 'none' }),
  },
  'a change as of an earlier day': {
    as: 'grantCredit',
    road: 'manage_subscriptions',
    attempt: changing({ quantity: 1, billing: 'charge_now', at: '2026-02-14T10:00:00.000Z' }),
  },
  'the address that blocks mails': {
    as: 'updateTenant',
    road: 'read',
    attempt: async (caller) => {
      const { body } = await caller.post('{ tenant { mail { bounceUrl } } }');
      return body.data.tenant.mail.bounceUrl !== null;
    },
  },
};

const names = ['a read key', 'a write key', ...Object.keys(limitedKeys), ...roles];
const rows = Object.entries(detours).flatMap(([name, detour]) =>
  names.map((by) => ({ name, by, ...detour })),
);

describe('the other road', () => {
  it.each(rows)('$name by $by is as open as $as', async ({ as, by, road, attempt }) => {
    const caller = callers[by]!;
    const needed = [operationPermissions[as] as Permission, road];
    expect(await attempt(caller)).toBe(needed.every((each) => caller.permissions.includes(each)));
  });

  it('stays open for what gives nothing', async () => {
    const { post } = callers['support']!;
    for (const fields of [
      {},
      { trialDays: 0 },
      { trialDays: null, couponId: null },
      { promotionCode: 'ALL' },
    ]) {
      const input = { ...shop.intentInput(await shop.customer(), price), ...fields, tenantAlias: undefined };
      expect((await post(order, { input })).body.errors).toBeUndefined();
    }
    for (const input of [
      { quantity: 3 },
      { quantity: 4, billing: 'next_invoice' },
      { quantity: 1, billing: 'period_end' },
    ])
      expect(await changing(input)(callers['support']!)).toBe(true);
  });

  it('names the permission and the argument that needs it', async () => {
    const input = { ...shop.intentInput(await shop.customer(), price), couponId, tenantAlias: undefined };
    expect(reasonsOf(await callers['support']!.post(order, { input }))).toMatchObject({
      reason: 'permission_missing',
      issues: [
        { path: 'permission', message: 'credit' },
        { path: 'couponId', message: 'needs the permission credit' },
      ],
    });
  });
});

describe('an export', () => {
  const list = '{ customers(first: 100) { nodes { id email } } }';

  it.each(roles)('is open to %s exactly with export_data, but a page of a list to all', async (role) => {
    const operator = await signInOperator(app, { role, tenant: 'acme' });
    expect((await operator.post(list)).body.errors).toBeUndefined();
    const answer = await operator.post(list, {}, { 'perennial-export': '1' });
    if (permissionsByRole[role].includes('export_data')) return expect(answer.body.errors).toBeUndefined();
    expect(answer.text).toContain('permission_missing');
    expect(answer.text).not.toContain('nodes');
  });

  it('needs a recent sign-in', async () => {
    const operator = await signInOperator(app, { role: 'finance', tenant: 'acme' });
    clock.advance(10 * 60_000);
    expect((await operator.post(list, {}, { 'perennial-export': '1' })).text).toContain('step_up_required');
    expect((await operator.post(list)).body.errors).toBeUndefined();
  });
});

describe('the portal by a link of finance', () => {
  it('refuses forms that it does not show', async () => {
    const target = await owe();
    const { subscriptionId: id } = target;
    const browser = (await openPortal(callers['finance']!, { customerId: target.customer.id }))!;
    const own = (await openPortal(callers['owner']!, { customerId: target.customer.id }))!;
    for (const act of ['cancel', 'plan', 'pause', 'resume', 'undo-cancel', 'undo-change']) {
      await own.get(`/portal/acme/subscriptions/${id}`);
      expect(await forge(browser, `/subscriptions/${id}/${act}`), act).toBe(404);
    }
    expect(await readSubscription(id)).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: false,
      pausedAt: null,
    });
    const words = wordsOf((await browser.get(`/portal/acme/subscriptions/${id}`)).text);
    expect(words).not.toContain('Cancel');
    expect(wordsOf((await browser.get('/portal/acme')).text)).toContain('Pay AFN 30.00 now');
  });

  it('opens everything to a customer who signs in by a code or by a link of a program', async () => {
    const { customer, subscriptionId } = await subscribe();
    const browser = (await openPortal(callers['a write key']!, { customerId: customer.id }))!;
    const words = wordsOf((await browser.get(`/portal/acme/subscriptions/${subscriptionId}`)).text);
    for (const each of ['Cancel', 'Pause', 'Promotion code']) expect(words).toContain(each);
    const rowsOf = await app.service.store.fresh.select('portalSessions', {
      where: { customerId: customer.id },
    });
    expect(rowsOf.map(({ permissions }) => permissions)).toEqual([null]);
  });
});

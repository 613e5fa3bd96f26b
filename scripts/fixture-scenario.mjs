// What a fixture holds: two tenants whose records are in every status that a release has to take over.
// Uses nothing but the public interface, and asks the schema where releases differ.

const aliases = { test: 'acme-test', live: 'acme' };
const begin = '2026-01-31T10:00:00.000Z';

/** A client of one tenant: every request has to succeed. */
export function clientOf(url, apiKey, tenantAlias) {
  const send = async (path, fields, headers = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(fields),
    });
    const body = await answer.json();
    if (!answer.ok || body.errors)
      throw new Error(`${path} ${JSON.stringify(fields)}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    tenantAlias,
    post: (path, fields, headers) => send(`/api/v1${path}`, { tenantAlias, ...fields }, headers),
    graphql: async (query, variables, headers) =>
      (await send('/graphql', { query, variables }, headers)).data,
  };
}

/** What is called differently in some releases. */
async function wordsOf({ graphql }) {
  const { type } = await graphql('{ type: __type(name: "SubscriptionContract") { name } }');
  return type
    ? { subscriptionType: 'SubscriptionContract', intentEvent: 'IntentEvent.cancelled' }
    : { subscriptionType: 'Subscription', intentEvent: 'IntentEvent.canceled' };
}

function shopOf(client) {
  const { post, graphql } = client;
  let count = 0;
  const run = (mutation, id) => graphql(`mutation ($id: ID!) { ${mutation} { id } }`, { id });
  const intent = (customer, price, fields) =>
    post('/subscriptions/intent', {
      customerId: customer.id,
      associatedCustomerId: customer.associatedId,
      productId: price.productId,
      priceId: price.id,
      receiptUrl: 'https://shop.example/thanks',
      ...fields,
    });
  const confirm = async (id, method) =>
    (
      await graphql(
        `
          mutation ($id: ID!, $method: String!) {
            confirmIntent(id: $id, paymentMethod: $method) {
              subscriptionId
            }
          }
        `,
        { id, method },
      )
    ).confirmIntent.subscriptionId;
  return {
    run,
    intent,
    confirm,
    group: (name, prorateUpgrades) => post('/groups', { name, prorateUpgrades }),
    customer: (firstName, lastName) => {
      const associatedId = `user-${++count}`;
      const metadata = { note: `“${firstName}” ☂` };
      return post('/customers', {
        firstName,
        lastName,
        email: `${associatedId}@shop.example`,
        associatedId,
        metadata,
      });
    },
    plan: async (name, amount, currency, fields = {}) => {
      const { recurring, ...rest } = fields;
      const prices = [{ details: { amount, currency }, recurring }];
      return (await post('/products', { name, description: '', prices, ...rest })).prices[0];
    },
    subscribe: async (customer, price, method = 'sandbox_ok', fields = {}) =>
      confirm((await intent(customer, price, fields)).intentId, method),
    advance: (to) => graphql('mutation ($to: DateTime!) { advanceClock(to: $to) { clock } }', { to }),
    invoices: async (id) =>
      (
        await graphql(
          'query ($id: ID) { invoices(subscriptionId: $id, first: 100, order: ASC) { nodes { id status } } }',
          { id },
        )
      ).invoices.nodes,
    endpoint: async (fields) =>
      (
        await graphql(
          'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { id } secret } }',
          { input: fields },
        )
      ).createWebhookEndpoint,
  };
}

/** Fills both tenants; `create(alias, flags)` makes a tenant and its key. Returns the keys and the ids by what they are. */
export async function fill(url, create) {
  const keys = {
    [aliases.test]: await create(aliases.test, ['--test', '--clock', begin, '--timezone', 'Asia/Kabul']),
    [aliases.live]: await create(aliases.live, ['--name', 'Acmé GmbH', '--timezone', 'Europe/Berlin']),
  };
  const test = clientOf(url, keys[aliases.test], aliases.test);
  const live = clientOf(url, keys[aliases.live], aliases.live);
  return { keys, ids: { ...(await fillTest(test)), ...(await fillLive(live)) } };
}

async function fillTest(client) {
  const shop = shopOf(client);
  const words = await wordsOf(client);
  const { subscriptionType } = words;
  const query = `query { type subscription { ...parts } } fragment parts on ${subscriptionType} { id status productName }`;
  const hooks = 'http://127.0.0.1:9/hooks';
  const { endpoint, secret } = await shop.endpoint({
    url: hooks,
    events: [words.intentEvent, 'SubscriptionEvent'],
    query,
  });
  const compact = `{subscription{...on ${subscriptionType}{id}}}`;
  const off = { url: hooks, events: [words.intentEvent], query: compact, active: false };
  const { endpoint: switchedOff } = await shop.endpoint(off);
  const { endpoint: removed } = await shop.endpoint({ url: `${hooks}/removed`, events: [words.intentEvent] });

  const plans = await shop.group('PLÄNE Ünïversal', true);
  const yearly = { frequency: 'Yearly', period: 1 };
  const inPlans = { groupId: plans.id };
  const basic = await shop.plan('BASIC Ärger', 9.5, 'afn', inPlans);
  const pro = await shop.plan('Pro ΣΊΣΥΦΟΣ', 29, 'afn', inPlans);
  const team = await shop.plan('Team İstanbul', 100, 'afn', { ...inPlans, recurring: yearly });
  const yen = await shop.plan('雑誌', 1200, 'jpy');
  const dinar = await shop.plan('Dīnār', 2.345, 'kwd');
  const dollar = await shop.plan('Dollar', 50, 'usd');
  const usual = await shop.group('usual', false);
  const small = await shop.plan('Small', 5, 'usd', { groupId: usual.id });
  const large = await shop.plan('Large', 15, 'usd', { groupId: usual.id });
  const deleted = await shop.plan('Gone', 1, 'usd', inPlans);
  await shop.run('deleteProduct(id: $id)', deleted.productId);
  await shop.run('deleteGroup(id: $id)', (await shop.group('Gone', false)).id);

  const ids = {
    endpoint: endpoint.id,
    switchedOff: switchedOff.id,
    endpointSecret: secret,
    productOfGreekName: pro.productId,
  };
  const named = async (key, names) => ({ ...(await shop.customer(...names)), key });
  const hafez = await named('hafez', ['حافظ', 'شیرازی']);
  const yamada = await named('yamada', ['太郎', '山田']);
  const zoe = await named('zoe', ['Zoë', '🦊 Ångström']);
  ids.hafez = hafez.id;

  ids.active = await shop.subscribe(yamada, yen);
  ids.upgraded = await shop.subscribe(hafez, basic);
  ids.withBalance = await shop.subscribe(zoe, team);
  ids.downgrading = await shop.subscribe(yamada, large);
  ids.pastDue = await shop.subscribe(hafez, dollar, 'sandbox_ok_then_declined');
  ids.paused = await shop.subscribe(zoe, dinar);
  ids.cancelled = await shop.subscribe(zoe, dollar);
  ids.ending = await shop.subscribe(yamada, dinar);
  ids.waitingUpgrade = await shop.subscribe(await shop.customer('Ines', 'Ñandú'), small);
  ids.expired = (await shop.intent(await shop.customer('Olga', 'Ожегова'), yen)).intentId;

  ids.cancelledIntent = (await shop.intent(zoe, yen)).intentId;
  await shop.run('cancelIntent(id: $id)', ids.cancelledIntent);
  await client.post('/customers', anna, { 'idempotency-key': 'fixture-rest' });
  const { createGroup } = await client.graphql(
    'mutation { createGroup(input: { name: "Named" }) { id } }',
    {},
    { 'idempotency-key': 'fixture-graphql' },
  );
  ids.namedGroup = createGroup.id;
  const another = await shop.intent(await shop.customer('Removed', 'Endpoint'), yen);
  await shop.run('cancelIntent(id: $id)', another.intentId);
  await shop.run('deleteWebhookEndpoint(id: $id)', removed.id);

  await shop.advance('2026-02-10T00:00:00Z');
  await shop.subscribe(hafez, pro);
  await shop.subscribe(zoe, pro);
  await shop.run('cancelSubscription(id: $id)', ids.cancelled);
  await shop.advance('2026-03-01T12:00:00Z');
  await shop.run('pauseSubscription(id: $id)', ids.paused);
  await refundPart(client, shop, ids);
  await shop.advance('2026-03-03T12:00:00Z');
  await shop.subscribe(yamada, small);
  await shop.run('cancelSubscription(id: $id, atPeriodEnd: true)', ids.ending);
  const later = { startDate: '2026-04-01T00:00:00Z' };
  ids.scheduledStart = await shop.subscribe(await shop.customer('Later', 'Ż'), yen, 'sandbox_ok', later);
  const gone = await shop.customer('Gone', 'Customer');
  ids.ofGoneCustomer = await shop.subscribe(gone, yen);
  await shop.run('deleteCustomer(id: $id)', gone.id);

  const byHand = await shop.intent(await shop.customer('Bank', 'Überweisung'), dollar);
  await shop.confirm(byHand.intentId, 'manual');
  ids.byHand = byHand.intentId;
  const { customerId } = (
    await client.graphql('query ($id: ID!) { subscription(id: $id) { customer { customerId: id } } }', {
      id: ids.waitingUpgrade,
    })
  ).subscription.customer;
  const ines = await client.graphql('query ($id: ID!) { customer(id: $id) { id associatedId } }', {
    id: customerId,
  });
  await shop.run('updateGroup(id: $id, input: { prorateUpgrades: true })', usual.id);
  ids.upgradeByHand = (await shop.intent(ines.customer, large)).intentId;
  await shop.confirm(ids.upgradeByHand, 'manual');
  return ids;
}

/** Sent again by the test under its key. */
export const anna = {
  firstName: 'Anna',
  lastName: 'Named',
  email: 'anna@shop.example',
  associatedId: 'anna',
};

/** A part of the newest paid invoice of one subscription, the whole of another's, more than one of a third. */
async function refundPart({ graphql }, shop, ids) {
  const refund = (id, amount) =>
    graphql('mutation ($id: ID!, $amount: Float) { refundInvoice(id: $id, amount: $amount) { id } }', {
      id,
      amount,
    });
  const ofActive = await shop.invoices(ids.active);
  await refund(ofActive.at(-1).id, 200);
  await refund(ofActive.at(-1).id, 300);
  await refund((await shop.invoices(ids.cancelled))[0].id);
  ids.partlyRefunded = ofActive.at(-1).id;
  ids.invoiceOfPaused = (await shop.invoices(ids.paused))[0].id;
}

/** A live tenant: its money is recorded by hand. */
async function fillLive(client) {
  const shop = shopOf(client);
  const price = await shop.plan('GRÜNE Kiste', 12.5, 'usd', {
    groupId: (await shop.group('Abos', false)).id,
  });
  const paying = await shop.intent(await shop.customer('Jürgen', 'Weiß'), price);
  await shop.confirm(paying.intentId, 'manual');
  const [invoice] = await shop.invoices();
  await client.graphql(
    'mutation ($id: ID!) { recordPayment(invoiceId: $id, reference: "statement 1") { id } }',
    { id: invoice.id },
  );
  const waiting = await shop.intent(await shop.customer('Łucja', 'Żak'), price);
  await shop.confirm(waiting.intentId, 'manual');
  const { intent } = await client.graphql('query ($id: ID!) { intent(id: $id) { subscriptionId } }', {
    id: paying.intentId,
  });
  return { live: intent.subscriptionId, liveInvoice: invoice.id, liveByHand: waiting.intentId };
}

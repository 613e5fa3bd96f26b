/** Erasure: what names a customer is nowhere afterwards, and the books add up as before. */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { engine } from '../support/engines.ts';
import { createShop } from '../support/shop.ts';
import {
  createEndpoint,
  fetchDeliveries,
  openReceiver,
  status,
  type Receiver,
} from '../outgoing/webhooks/receiver.ts';

let app: TestApp;
let client: Client;
let other: Client;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp({ webhookAllowPrivate: 'on', rateLimitPerSecond: '1000000' });
  client = await app.tenant({ alias: 'acme', test: true, clock: '2026-01-01T00:00:00.000Z' });
  other = await app.tenant({ alias: 'other', test: true });
  // Documents are erased with everything else; `retention.test.ts` keeps them.
  await client.graphql('mutation { updateTenant(input: { documentRetentionYears: 0 }) { alias } }');
  receiver = await openReceiver();
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

const eraseDocument = `mutation ($id: ID!, $associatedId: String) {
  eraseCustomer(id: $id, input: { associatedId: $associatedId }) { id firstName lastName email associatedId metadata }
}`;
const erase = async (id: string, associatedId?: string, by = client) => {
  const { body } = await by.post(eraseDocument, { id, associatedId });
  return body.errors ? body.errors[0].extensions : body.data.eraseCustomer;
};
const cancel = (id: string, comment?: string) =>
  client.graphql(
    'mutation ($id: ID!, $comment: String) { cancelSubscription(id: $id, input: { comment: $comment }) { id } }',
    {
      id,
      comment,
    },
  );
const remove = (id: string) =>
  client.graphql('mutation ($id: ID!) { deleteCustomer(id: $id) { id } }', { id });
const buildErased = (id: string) => ({
  id,
  firstName: '[erased]',
  lastName: '[erased]',
  email: `${id}@erased.invalid`,
  associatedId: `erased:${id}`,
  metadata: {},
});

let made = 0;
/** A person whose every text is found nowhere else. */
const newPerson = () => {
  // Ids have neither u, l nor o.
  const tag = `qu${++made}lo`;
  return {
    email: `mail${tag}@example.org`,
    firstName: `Given${tag} "É"`,
    lastName: `Family${tag}`,
    associatedId: `own${tag}`,
    metadata: { phone: `phone${tag}` },
  };
};
const parseTag = ({ lastName }: { lastName: string }) => lastName.slice('Family'.length);

async function create(person: ReturnType<typeof newPerson>, headers = {}): Promise<string> {
  const answer = await client.rest('POST', '/customers', { tenantAlias: 'acme', ...person }, headers);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.id;
}

/** Everything that is kept of all tenants: every row, and on SQLite every byte of every file. */
async function everything(): Promise<string> {
  const rows = (await Promise.all(['acme', 'other'].map((alias) => app.backdoor.dump(alias)))).join('');
  if (engine === 'postgres') return rows;
  const files = ['', '-wal', '-shm', '.lock', '-journal'].map((suffix) => app.path + suffix);
  return (
    rows +
    files
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file).toString('latin1'))
      .join('')
  );
}

/** Where a tag is found, as it is and within what is kept in base64. */
async function expectNowhere(tag: string) {
  const text = await everything();
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.from('-'.repeat(shift) + tag)
      .toString('base64')
      .replaceAll('=', '')
      .slice(shift ? 2 : 0, -1),
  );
  for (const form of [tag, ...encoded.filter((each) => each.length >= 5)]) {
    const at = text.indexOf(form);
    if (at >= 0) expect.fail(`${form} is still there: ${text.slice(Math.max(0, at - 200), at + 60)}`);
  }
}

/** What the doctor finds; that deliveries wait is no wonder where nobody makes them. */
const findings = async () => {
  const { json, err } = await perennial(app.database, ['doctor', '--json']);
  expect(json.error, err).toBeUndefined();
  return json.findings.filter(({ check }: any) => check !== 'delivery');
};

describe('a customer with a whole history', () => {
  it('is erased from every table and every file, and the books add up', async () => {
    const shop = createShop(client, 'acme');
    const { product, price } = await shop.product();
    receiver.answer(status(500));
    const query = '{ customer { email firstName lastName } type }';
    await createEndpoint(client, { url: receiver.url });
    const { errors } = (
      await client.post(
        'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { id } } }',
        { input: { url: receiver.url, query } },
      )
    ).body;
    expect(errors).toBeUndefined();
    const person = newPerson();
    const tag = parseTag(person);
    const id = await create(person, { 'idempotency-key': `create-${made}` });
    await client.graphql(
      `mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }`,
      {
        id,
        input: {
          companyName: `Company ${tag}`,
          address: {
            line1: `Street ${tag}`,
            line2: tag,
            city: tag,
            postalCode: tag,
            region: tag,
            country: 'DE',
          },
          taxIds: [{ type: 'other', value: tag }],
        },
      },
    );
    for (let index = 0; index < 30; index++) {
      await client.rest(
        'PATCH',
        `/customers/${id}`,
        { tenantAlias: 'acme', associatedId: person.associatedId, lastName: `${index} Family${tag}` },
        { 'idempotency-key': `change-${made}-${index}`, 'x-executor-id': person.email },
      );
      // Others are written in between, so that pages fill and split.
      await create(newPerson());
    }
    const intent = await client.rest('POST', '/subscriptions/intent', {
      tenantAlias: 'acme',
      customerId: id,
      associatedCustomerId: person.associatedId,
      productId: product?.id ?? price.productId,
      priceId: price.id,
      receiptUrl: `https://shop.example/${tag}/thanks`,
      returnUrl: `https://shop.example/${tag}/back`,
      reason: `because ${tag}`,
    });
    expect(intent.status, intent.text).toBe(201);
    const { confirmIntent } = await client.graphql(
      'mutation ($id: ID!) { confirmIntent(id: $id, input: { paymentMethod: "sandbox_ok" }) { subscriptionId } }',
      { id: intent.body.intentId },
    );
    const { createCoupon } = await client.graphql(
      'mutation { createCoupon(input: { name: "Sorry", percentOff: "5", duration: once }) { id } }',
    );
    const texts = { id, text: `for ${tag}`, coupon: createCoupon.id, code: `SORRY-${tag}` };
    const { c: billed } = await client.graphql(
      `mutation ($id: ID!, $text: String!, $coupon: ID!, $code: String!) {
        a: createInvoiceItem(input: { customerId: $id, amount: { amount: 1, currency: "afn" }, description: $text }) { id }
        b: grantCredit(input: { customerId: $id, amount: { amount: 1, currency: "afn" }, reason: $text }) { id }
        c: createInvoice(
          input: { customerId: $id, items: [{ amount: { amount: 2, currency: "afn" }, description: $text }] }
        ) { id }
        e: createPromotionCode(input: { couponId: $coupon, code: $code, customerId: $id }) { id }
        d: createInvoiceItem(input: { customerId: $id, amount: { amount: 1, currency: "afn" }, description: $text }) { id }
      }`,
      texts,
    );
    await client.graphql(
      `mutation ($id: ID!, $text: String!) {
        createCreditNote(input: { invoiceId: $id, amount: { amount: 1, currency: "afn" }, kind: credit, reason: $text, memo: $text }) { id }
      }`,
      { id: billed.id, text: texts.text },
    );
    await app.service.dispatcher.deliverDue(app.service, 'acme');
    expect(await erase(id)).toMatchObject({
      reason: 'customer_has_subscriptions',
      issues: [{ path: 'id', message: expect.stringContaining(confirmIntent.subscriptionId) }],
    });
    expect(await everything()).toContain(tag);
    await cancel(confirmIntent.subscriptionId, `Comment ${tag}`);
    const invoices = async () =>
      (await client.graphql('{ invoices(first: 100) { nodes { id number status total { amount } } } }'))
        .invoices;
    const before = await invoices();
    expect(await erase(id, person.associatedId)).toEqual(buildErased(id));
    await expectNowhere(tag);
    expect(await invoices()).toEqual(before);
    expect(await findings()).toEqual([]);
    receiver.received.length = 0;
    receiver.answer(status(204));
    await client.graphql('mutation { advanceClock(input: { to: "2026-01-01T08:00:00.000Z" }) { clock } }');
    expect(receiver.received.length).toBeGreaterThan(5);
    for (const { text } of receiver.received) expect(text).not.toContain(tag);
    await expectNowhere(tag);
    const tries = (await fetchDeliveries(client)).flatMap(({ attempts }) =>
      attempts.map(({ error }: any) => error),
    );
    expect(tries).toContain('customer_erased');
    const { traces } = await client.graphql('{ traces(first: 1) { nodes { activityType payload } } }');
    expect(traces.nodes).toHaveLength(1);
  });

  it('an earlier keyed request is neither replayed nor performed again', async () => {
    const person = newPerson();
    const named = { 'idempotency-key': `repeat-${made}` };
    const id = await create(person, named);
    await erase(id);
    const again = await client.rest('POST', '/customers', { tenantAlias: 'acme', ...person }, named);
    expect([again.status, again.body.body.reason]).toEqual([404, 'customer_not_found']);
    expect(again.body.cause.issues[0].path).toBe('idempotency-key');
    await expectNowhere(parseTag(person));
    // Whoever is somebody anew may have the same id of the client's own.
    await create(person);
  });

  it('a deleted customer is erased from the remaining records', async () => {
    const person = newPerson();
    const id = await create(person);
    await remove(id);
    expect(await everything()).toContain(parseTag(person));
    expect(await erase(id, 'another')).toMatchObject({ reason: 'associated_id_mismatch' });
    expect(await erase(id, person.associatedId)).toEqual(buildErased(id));
    await expectNowhere(parseTag(person));
    expect(await erase(id)).toEqual(buildErased(id));
    expect(await findings()).toEqual([]);
  });

  it('a payment of another customer keeps the reference that the person recorded', async () => {
    const person = newPerson();
    const id = await create(person);
    const shop = createShop(client, 'acme');
    const { price } = await shop.product();
    const { intentId } = await shop.intent(await shop.customer(), price);
    await shop.confirm(intentId, 'manual');
    const { invoices } = await client.graphql('{ invoices(status: open, first: 1) { nodes { id } } }');
    const { errors } = (
      await client.post(
        'mutation ($id: ID!) { recordPayment(id: $id, input: { reference: "statement 7" }) { id } }',
        invoices.nodes[0],
        { 'x-executor-id': person.email },
      )
    ).body;
    expect(errors).toBeUndefined();
    await erase(id);
    await expectNowhere(parseTag(person));
    const kept = await app.backdoor.all("SELECT reference FROM payments WHERE provider = 'manual'");
    expect(kept).toEqual([{ reference: 'statement 7' }]);
    expect(await findings()).toEqual([]);
  });

  it('open intents are cancelled, and doctor finds no faults', async () => {
    const shop = createShop(client, 'acme');
    const { price } = await shop.product();
    const customer = await shop.customer();
    const intent = await shop.intent(customer, price);
    await erase(customer.id);
    const { status: left } = (
      await client.rest('GET', `/subscriptions/intent/${intent.intentId ?? intent.id ?? intent}`, {
        tenantAlias: 'acme',
      })
    ).body;
    expect(left).toBe('cancelled');
    expect(await findings()).toEqual([]);
  });
});

describe('hostile', () => {
  it('another tenant can neither erase a customer nor detect one', async () => {
    const person = newPerson();
    const id = await create(person);
    for (const associatedId of [undefined, person.associatedId, 'x']) {
      expect(await erase(id, associatedId, other)).toMatchObject({ reason: 'customer_not_found' });
    }
    const reader = await app.key('acme', 'read');
    expect(await erase(id, undefined, reader)).toMatchObject({ reason: 'insufficient_scope' });
    expect(await everything()).toContain(person.email);
  });

  it.each(['', 'cus_none', 'x'.repeat(5000), '%', "' or 1=1 --", 'sub_01'])(
    '%j is customer_not_found',
    async (id) => {
      expect(await erase(id)).toMatchObject({
        status: expect.toSatisfy((code) => code === 404 || code === 400),
      });
    },
  );

  it('a wrong associated id changes nothing; a repeated erasure leaves one trace', async () => {
    const person = newPerson();
    const id = await create(person);
    expect(await erase(id, 'x')).toMatchObject({ reason: 'associated_id_mismatch' });
    await erase(id, person.associatedId);
    expect(await erase(id, person.associatedId)).toEqual(buildErased(id));
    const traces = await app.backdoor.all('select payload from traces');
    const recorded = traces.filter(({ payload }) => {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      return text.includes(id) && text.replaceAll(' ', '').includes('"action":"erased"');
    });
    expect(recorded).toHaveLength(1);
  });

  it('fifty concurrent erasures beside updates erase once and return the same', async () => {
    const person = newPerson();
    const id = await create(person);
    const answers = await Promise.all(Array.from({ length: 50 }, () => erase(id)));
    expect(answers).toEqual(Array.from({ length: 50 }, () => buildErased(id)));
    await expectNowhere(parseTag(person));
    expect(await findings()).toEqual([]);
  });

  it('a customer with the same name as another keeps it', async () => {
    const person = newPerson();
    const id = await create(person);
    const namesake = await create({ ...person, associatedId: `${person.associatedId}-2` });
    await erase(id);
    const { body } = await client.rest('GET', `/customers/${namesake}`, { tenantAlias: 'acme' });
    expect(body).toMatchObject({ firstName: person.firstName, email: person.email });
    expect(await findings()).toEqual([]);
  });
});

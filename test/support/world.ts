import { connect } from 'node:net';
import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { tableDeclarations, type TableName } from '../../src/storage/model/rowTypes.ts';
import { catalogue, type Reason } from '../../src/lib/errors.ts';
import { issueCodes } from '../../src/lib/issueCodes.ts';
import type { Answer, Client, TestApp } from './app.ts';
import { engine } from './engines.ts';

/** The records of one tenant: an id of every kind. */
export interface World {
  alias: string;
  customer: string;
  associatedId: string;
  /** A customer without subscriptions, and the associated id. */
  spareCustomer: string;
  spareAssociatedId: string;
  group: string;
  product: string;
  /** Another product of the group, which nobody subscribes to. */
  spareProduct: string;
  price: string;
  sparePrice: string;
  /** One that waits to be paid. */
  intent: string;
  subscription: string;
  pausedSubscription: string;
  /** One in its trial. */
  trialSubscription: string;
  /** One whose trial can start without a payment method. */
  trialIntent: string;
  /** One whose price is lower from the next period on. */
  waitingSubscription: string;
  /** A price that fits the others as an add-on. */
  addOnPrice: string;
  /** A price that nobody has, and one that is archived. */
  unusedPrice: string;
  archivedPrice: string;
  /** A subscription to a price for each unit. */
  seatSubscription: string;
  coupon: string;
  taxRate: string;
  meter: string;
  /** One that nothing uses. */
  spareMeter: string;
  /** A limit that the product has; its key is `{alias}-limit`. */
  featureId: string;
  /** What the spare customer was given of it. */
  override: string;
  /** One of the customer. */
  reservation: string;
  customerNote: string;
  /** A price of usage, and the customer's own terms of it. */
  usagePrice: string;
  usagePriceOverride: string;
  usageEvent: string;
  promotionCode: string;
  /** A discount of the customer without subscriptions. */
  discount: string;
  /** The default of the customer, and another one. */
  paymentMethod: string;
  sparePaymentMethod: string;
  /** One that is paid. */
  invoice: string;
  /** A line of it. */
  invoiceLine: string;
  /** The charge of it. */
  payment: string;
  /** A credit note of it. */
  creditNote: string;
  /** Promotional credit of the customer without subscriptions. */
  creditGrant: string;
  creditType: string;
  autoTopUp: string;
  /** An invoice of one-off charges that is not finalized. */
  draft: string;
  /** One that waits for money from a bank. */
  openInvoice: string;
  /** One of one-off charges that waits for money from a bank. */
  oneOffInvoice: string;
  /** A charge of the spare customer that waits for an invoice. */
  invoiceItem: string;
  /** One that is told of subscriptions. */
  endpoint: string;
  /** One that waits to be made, of this event. */
  delivery: string;
  mail: string;
  mailTemplate: string;
  testEvent: string;
  portalSession: string;
  customerSession: string;
  /** A request of another key to grant the customer a credit, and what its preview is named. */
  actionRequest: string;
  previewVersion: string;
  /** A trace of this tenant. */
  eventId: string;
  traceId: string;
  timestamp: string;
  executorId: string;
}

const confirm = `mutation ($id: ID!, $method: String!) {
  confirmIntent(id: $id, input: { paymentMethod: $method }) { status subscriptionId }
}`;
const createEndpoint =
  'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { id } } }';
const createCoupon = `mutation { createCoupon(input: { name: "Sale", percentOff: "10", duration: forever }) { id } }`;
const createMeter =
  'mutation { createMeter(input: { name: "Calls", event: "call", aggregation: count }) { id } }';
const createFeature = `mutation ($key: String!, $productId: ID!, $meterId: ID!) {
  createFeature(input: { key: $key, name: "Calls", kind: limit, meterId: $meterId }) { id }
  attachFeature(input: { productId: $productId, feature: $key, value: 1000 }) { id }
}`;
const overrideFeature = `mutation ($feature: String!, $customerId: ID!) {
  overrideEntitlement(input: { customerId: $customerId, feature: $feature, value: 50 }) { id }
}`;
const reserveFeature = `mutation ($feature: String!, $customerId: ID!) {
  reserveEntitlement(input: { customerId: $customerId, feature: $feature, amount: 1, ttlSeconds: 86400 }) { id }
}`;
const recordUsage = `mutation ($id: String!, $customerId: ID!) {
  recordUsage(input: { events: [{ id: $id, event: "call", customerId: $customerId }] }) { accepted }
}`;
const createMetered = `mutation ($name: String!, $meterId: ID!) {
  createProduct(
    input: { name: $name, description: "", prices: [{ details: { amount: 1, currency: "afn" }, meterId: $meterId }] }
  ) { prices { id } }
}`;
const proposeCredit = `mutation ($customerId: ID!) {
  proposeAction(input: {
    operation: "grantCredit"
    input: { customerId: $customerId, amount: { amount: 3, currency: "afn" }, reason: "Sorry" }
    reason: "Promised on the phone"
  }) { id preview { version } }
}`;
const createTaxRate = 'mutation { createTaxRate(input: { country: "DE", percent: "7" }) { id } }';
const configureAccessPoint = `mutation {
  configureAccount(input: { accessPoint: { url: "https://ap.example", secret: "word", formats: [ubl] } }) { provider }
}`;
const sendEInvoice = `mutation ($customerId: ID!, $invoiceId: ID!) {
  on: updateCustomer(id: $customerId, input: { documentFormat: ubl }) { id }
  sendEInvoice(id: $invoiceId) { documentId }
  off: updateCustomer(id: $customerId, input: { documentFormat: null }) { id }
}`;
const configureAccount = `mutation {
  configureAccount(input: { smtp: { url: "smtps://user:word@mail.example", fromAddress: "billing@shop.example" } }) {
    provider
  }
}`;
const createCode = `mutation ($couponId: ID!, $code: String!) {
  createPromotionCode(input: { couponId: $couponId, code: $code }) { id }
}`;
const applyCoupon =
  'mutation ($customerId: ID, $couponId: ID) { applyDiscount(input: { customerId: $customerId, couponId: $couponId }) { id } }';
const testEndpoint = 'mutation ($id: ID!) { testWebhookEndpoint(id: $id) { id eventId } }';
const createItem = `mutation ($customerId: ID!, $amount: MoneyInput!, $description: String!) {
  createInvoiceItem(input: { customerId: $customerId, amount: $amount, description: $description }) { id }
}`;
const createInvoice = `mutation ($customerId: ID!, $amount: MoneyInput!, $description: String!) {
  createInvoice(input: { customerId: $customerId, items: [{ amount: $amount, description: $description }], collect: send_invoice }) { id }
}`;
const createDraft = `mutation ($customerId: ID!, $amount: MoneyInput!, $description: String!) {
  createInvoice(
    input: { customerId: $customerId, items: [{ amount: $amount, description: $description }], collect: send_invoice, draft: true }
  ) { id }
}`;
const createGrant = `mutation ($customerId: ID!, $name: String!) {
  createCreditGrant(
    input: { customerId: $customerId, name: $name, amount: { amount: 3, currency: "afn" }, category: promotional }
  ) { id }
}`;
const createCreditType = `mutation ($name: String!, $meterId: ID!, $customerId: ID!) {
  createCreditType(input: { name: $name, rates: [{ meterId: $meterId, credits: "1" }] }) { id }
  setAutoTopUp(
    input: {
      customerId: $customerId
      name: $name
      threshold: { amount: 1, currency: "afn" }
      amount: { amount: 5, currency: "afn" }
      monthlyLimit: 1
    }
  ) { id }
}`;
const createSession = `mutation ($customerId: ID!) {
  createPortalSession(input: { customerId: $customerId }) { session { id } }
  createCustomerSession(input: { customerId: $customerId }) { session { id } }
}`;
const createCreditNote = `mutation ($invoiceId: ID!, $reason: String!) {
  createCreditNote(input: { invoiceId: $invoiceId, amount: { amount: 1, currency: "afn" }, kind: credit, reason: $reason }) { id }
}`;
const createMails = `mutation ($to: String!, $subject: String!) {
  sendTestMail(input: { to: $to }) { id }
  updateMailTemplate(input: { kind: receipt, language: en, subject: $subject, body: $subject }) { id }
}`;
const addMethod = `mutation ($id: ID!) {
  addPaymentMethod(input: { customerId: $id, paymentMethod: "sandbox_ok_then_declined" }) { id }
}`;
const whatWasMade = `query ($payer: ID!) {
  payer: customer(id: $payer) { defaultPaymentMethod { id } }
  paid: invoices(status: paid, order: ASC) { nodes { id lines { id } payments { id } } }
  open: invoices(status: open) { nodes { id } }
  traces(first: 1) { nodes { eventId traceId createdAt executorId } }
}`;

/** Fills a new tenant through the interface with one record of every kind, all texts beginning with its alias. */
export async function fillTenant(client: Client, alias: string): Promise<World> {
  const send = async (path: string, fields: object) => {
    const answer = await client.rest('POST', path, { tenantAlias: alias, ...fields });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const metadata = { note: `${alias} note` };
  const customer = await send('/customers', {
    email: `${alias}@example.org`,
    firstName: `${alias} first`,
    lastName: `${alias} last`,
    associatedId: `${alias}-1`,
    metadata,
  });
  const spareCustomer = await send('/customers', {
    email: `${alias}-2@example.org`,
    firstName: `${alias} second`,
    lastName: `${alias} last`,
    associatedId: `${alias}-2`,
  });
  const group = await send('/groups', { name: `${alias} group`, metadata });
  const createProduct = (name: string, amount: number, fields: object = {}) =>
    send('/products', {
      name: `${alias} ${name}`,
      description: `${alias} description`,
      metadata,
      prices: [{ details: { amount, currency: 'afn' } }],
      ...fields,
    });
  const createIntent = async ({ product, prices }: any): Promise<string> => {
    const { intentId } = await send('/subscriptions/intent', {
      customerId: customer.id,
      associatedCustomerId: customer.associatedId,
      productId: product.id,
      priceId: prices[0].id,
      receiptUrl: `https://${alias}.example/receipt`,
      reason: `${alias} reason`,
    });
    return intentId;
  };
  const subscribe = async (product: any, method = 'sandbox_ok'): Promise<string> => {
    const { confirmIntent } = await client.graphql(confirm, { id: await createIntent(product), method });
    return confirmIntent.subscriptionId;
  };
  const bought = await createProduct('bought', 50, { groupId: group.id });
  const spare = await createProduct('spare', 20, { groupId: group.id });
  const subscription = await subscribe(bought);
  const paused = await createProduct('paused', 7, {
    prices: [7, 8, 9].map((amount) => ({ details: { amount, currency: 'afn' } })),
  });
  const pausedSubscription = await subscribe(paused);
  const [unusedPrice, archivedPrice] = [paused.prices[1].id, paused.prices[2].id];
  await client.graphql('mutation ($id: ID!) { archivePrice(id: $id) { id } }', { id: archivedPrice });
  await client.graphql('mutation ($id: ID!) { pauseSubscription(id: $id) { id } }', {
    id: pausedSubscription,
  });
  const onTrial = { prices: [{ details: { amount: 4, currency: 'afn' }, trialDays: 60 }] };
  const trialSubscription = await subscribe(await createProduct('on trial', 4, onTrial));
  const trialIntent = await createIntent(await createProduct('trial', 4, onTrial));
  const prices = [8, 3].map((amount) => ({ details: { amount, currency: 'afn' } }));
  const waiting = await createProduct('waiting', 8, { prices });
  const waitingSubscription = await subscribe(waiting);
  await subscribe({ ...waiting, prices: [waiting.prices[1]] });
  const perUnit = { prices: [{ details: { amount: 2, currency: 'afn' }, model: 'per_unit' }] };
  const seatSubscription = await subscribe(await createProduct('seats', 2, perUnit));
  const charge = { amount: { amount: 4, currency: 'afn' }, description: `${alias} work` };
  const billed = await client.graphql(createInvoice, { customerId: customer.id, ...charge });
  const drafted = await client.graphql(createDraft, { customerId: customer.id, ...charge });
  const item = await client.graphql(createItem, { customerId: spareCustomer.id, ...charge });
  await subscribe(await createProduct('by bank', 9), 'manual');
  const intent = await createIntent(await createProduct('loose', 5));
  const { createWebhookEndpoint: made } = await client.graphql(createEndpoint, {
    input: {
      url: `https://${alias}.example/hooks`,
      description: `${alias} hooks`,
      events: ['SubscriptionEvent'],
    },
  });
  const { testWebhookEndpoint: tested } = await client.graphql(testEndpoint, { id: made.endpoint.id });
  const coupon = (await client.graphql(createCoupon)).createCoupon.id;
  const taxRate = (await client.graphql(createTaxRate)).createTaxRate.id;
  const meter = (await client.graphql(createMeter)).createMeter.id;
  const spareMeter = (await client.graphql(createMeter)).createMeter.id;
  const feature = `${alias}-limit`;
  const limited = await client.graphql(createFeature, {
    key: feature,
    productId: bought.product.id,
    meterId: meter,
  });
  const given = await client.graphql(overrideFeature, { feature, customerId: spareCustomer.id });
  const reserved = await client.graphql(reserveFeature, { feature, customerId: customer.id });
  const { createCustomerNote: note } = await client.graphql(
    'mutation ($input: CreateCustomerNoteInput!) { createCustomerNote(input: $input) { id } }',
    { input: { customerId: customer.id, text: 'Prefers calls in the morning' } },
  );
  const customerNote = note.id;
  const ofUnits = (await client.graphql(createMeter)).createMeter.id;
  const { createProduct: metered } = await client.graphql(createMetered, {
    name: `${alias} metered`,
    meterId: ofUnits,
  });
  const usagePrice = metered.prices[0].id;
  const { overrideUsagePrice: overridden } = await client.graphql(
    'mutation ($input: OverrideUsagePriceInput!) { overrideUsagePrice(input: $input) { id } }',
    { input: { customerId: customer.id, priceId: usagePrice, unitAmount: '0.5' } },
  );
  const usageEvent = 'used';
  await client.graphql(recordUsage, { id: usageEvent, customerId: spareCustomer.id });
  await client.graphql(configureAccount);
  await client.graphql(configureAccessPoint);
  await client.graphql(sendEInvoice, { customerId: customer.id, invoiceId: billed.createInvoice.id });
  const code = await client.graphql(createCode, { couponId: coupon, code: `${alias}-code` });
  const applied = await client.graphql(applyCoupon, { customerId: spareCustomer.id, couponId: coupon });
  const mails = await client.graphql(createMails, {
    to: `${alias}-mail@example.org`,
    subject: `${alias} subject`,
  });
  const { addPaymentMethod: spareMethod } = await client.graphql(addMethod, { id: customer.id });
  const { paid, open, traces, payer } = await client.graphql(whatWasMade, { payer: customer.id });
  const [{ eventId, traceId, createdAt: timestamp, executorId }] = traces.nodes;
  const [invoice] = paid.nodes;
  const credited = await client.graphql(createCreditNote, {
    invoiceId: invoice.id,
    reason: `${alias} reason`,
  });
  const granted = await client.graphql(createGrant, {
    customerId: spareCustomer.id,
    name: `${alias} credit`,
  });
  const typed = await client.graphql(createCreditType, {
    name: `${alias} credits`,
    meterId: meter,
    customerId: spareCustomer.id,
  });
  const asker = await client.colleague!(['read', 'propose']);
  const { proposeAction: asked } = await asker.graphql(proposeCredit, { customerId: customer.id });
  const visit = await client.graphql(createSession, { customerId: customer.id });
  return {
    alias,
    customer: customer.id,
    associatedId: customer.associatedId,
    spareCustomer: spareCustomer.id,
    spareAssociatedId: spareCustomer.associatedId,
    group: group.id,
    product: bought.product.id,
    spareProduct: spare.product.id,
    price: bought.prices[0].id,
    sparePrice: spare.prices[0].id,
    intent,
    subscription,
    pausedSubscription,
    trialSubscription,
    trialIntent,
    waitingSubscription,
    addOnPrice: waiting.prices[1].id,
    unusedPrice,
    archivedPrice,
    seatSubscription,
    coupon,
    taxRate,
    meter,
    spareMeter,
    featureId: limited.createFeature.id,
    override: given.overrideEntitlement.id,
    reservation: reserved.reserveEntitlement.id,
    customerNote,
    usagePrice,
    usagePriceOverride: overridden.id,
    usageEvent,
    promotionCode: code.createPromotionCode.id,
    discount: applied.applyDiscount.id,
    paymentMethod: payer.defaultPaymentMethod.id,
    sparePaymentMethod: spareMethod.id,
    invoice: invoice.id,
    invoiceLine: invoice.lines[0].id,
    payment: invoice.payments[0].id,
    creditNote: credited.createCreditNote.id,
    creditGrant: granted.createCreditGrant.id,
    creditType: typed.createCreditType.id,
    autoTopUp: typed.setAutoTopUp.id,
    draft: drafted.createInvoice.id,
    openInvoice: open.nodes[0].id,
    oneOffInvoice: billed.createInvoice.id,
    invoiceItem: item.createInvoiceItem.id,
    endpoint: made.endpoint.id,
    delivery: tested.id,
    mail: mails.sendTestMail.id,
    mailTemplate: mails.updateMailTemplate.id,
    testEvent: tested.eventId,
    portalSession: visit.createPortalSession.session.id,
    customerSession: visit.createCustomerSession.session.id,
    actionRequest: asked.id,
    previewVersion: asked.preview.version,
    eventId,
    traceId,
    timestamp,
    executorId,
  };
}

/** Sends one request as it is given, without a key unless it has one. */
export async function inject({ server }: Pick<TestApp, 'server'>, options: InjectOptions): Promise<Answer> {
  const first = await server.inject(options);
  const { location } = first.headers;
  // As a browser, follows to the page that a form of the pages resulted in.
  const isKept = first.statusCode === 303 && /\?shown=[\w-]{43}$/.test(location ?? '');
  const { headers = {}, remoteAddress = '127.0.0.1' } = options;
  const answer = isKept ? await server.inject({ url: location!, headers, remoteAddress }) : first;
  const text = answer.body;
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: answer.statusCode, headers: answer.headers, text, body };
}

/** Expects every table to exist, undamaged, with valid foreign keys. */
export async function expectSound({ backdoor }: Pick<TestApp, 'backdoor'>): Promise<void> {
  for (const { name, columns, keys } of Object.values<any>(tableDeclarations)) {
    await backdoor.all(`select ${Object.keys(columns).map(snakeCase).join()} from ${name}`);
    for (const { columns: on, table } of keys.foreign ?? []) {
      const { name: parent, keys: its } = tableDeclarations[table as TableName];
      const equal = on.map((column: string, index: number) => {
        const [own, other] = [snakeCase(column), snakeCase(its.primary[index]!)];
        return `child.${own} = parent.${other}`;
      });
      const isSet = `child.${snakeCase(on.at(-1))} is not null`;
      const dangling = `select * from ${name} child where ${isSet} and not exists (select 1 from ${parent} parent where ${equal.join(' and ')})`;
      expect(await backdoor.all(dangling), `${name} refers to ${parent}`).toEqual([]);
    }
  }
  if (engine === 'sqlite') {
    expect(await backdoor.all('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  }
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const echoable = ['accept', 'content-length', 'content-type', 'user-agent', 'x-executor-id', 'x-request-id'];

/** Expects all statements about an answer to be true, at once: thousands of `expect` would take seconds. */
function expectAll(text: string, statements: Record<string, boolean>): void {
  const wrong = Object.keys(statements).filter((statement) => !statements[statement]);
  expect(wrong, text.slice(0, 2000)).toEqual([]);
}

const isText = (value: unknown) => typeof value === 'string';
const hasKeys = (value: unknown, ...keys: string[]) =>
  typeof value === 'object' && value !== null && Object.keys(value).join() === keys.join();

function areIssues(issues: unknown, hasCodes = false): boolean {
  return (
    Array.isArray(issues) &&
    issues.every(
      ({ code, limit, left, ...issue }) =>
        (hasCodes
          ? isCode(code) && isLimit(limit) && isLeft(left, code)
          : [code, limit, left].every((each) => each === undefined)) &&
        (hasKeys(issue, 'path', 'message') ||
          hasKeys(issue, 'actionUrl', 'path', 'message') ||
          hasKeys(issue, 'declineCode', 'path', 'message') ||
          hasKeys(issue, 'total', 'path', 'message')) &&
        isText(issue.path) &&
        isText(issue.message) &&
        issue.message,
    )
  );
}

const isCode = (code: unknown): boolean =>
  code === undefined || (isText(code) && Object.hasOwn(issueCodes, code));
const isLimit = (limit: unknown): boolean => limit === undefined || typeof limit === 'number';

/** Whether an issue has the amount that is left if, and only if, its code means one. */
const isLeft = (left: unknown, code: unknown): boolean =>
  code === 'more_than_left' ? hasKeys(left, 'amount', 'decimal', 'currency') : left === undefined;

/** Expects the whole error body of the interface (section 7), nothing more, for a reason of the catalogue. */
export function expectRestError({ status, headers, body, text }: Answer, reason?: Reason): void {
  const type = 'application/json; charset=utf-8';
  const { code, reason: given, request, response } = body?.body ?? {};
  expectAll(text, {
    'it is JSON': headers['content-type'] === type && hasKeys(body, 'cause', 'body'),
    'the body has its keys': hasKeys(body?.body, 'code', 'reason', 'request', 'response'),
    [`the reason is ${reason ?? 'in the catalogue'}`]:
      Object.hasOwn(catalogue, given) && given === (reason ?? given),
    'the code is that of the reason': code === catalogue[given as Reason]?.status && status === code,
    'the request has its keys': hasKeys(request, 'body', 'headers', 'url', 'method'),
    'the request is told in text': [request?.body, request?.url, request?.method].every(isText),
    'only harmless headers are echoed': Object.entries(request?.headers ?? { none: 1 }).every(
      ([name, value]) => echoable.includes(name) && isText(value),
    ),
    'the response has its keys': hasKeys(response, 'body', 'headers') && isText(response.body),
    'the response tells its type':
      JSON.stringify(response?.headers) === JSON.stringify({ 'content-type': type }),
    'the cause is null or names fields':
      body?.cause === null ||
      (hasKeys(body?.cause, 'message', 'issues') &&
        isText(body.cause.message) &&
        areIssues(body.cause.issues)),
    'no issue has the words of GraphQL': !(body?.cause?.issues ?? []).some(({ message }: any) =>
      /cannot represent|does not exist in|of required type|is not defined by type|Expected type/.test(
        message,
      ),
    ),
  });
}

/** Expects an answer of GraphQL with errors, each of a reason of the catalogue, and nothing else besides the data. */
export function expectGraphqlError({ status, headers, body, text }: Answer, reason?: Reason): void {
  const errors: any[] = body?.errors ?? [];
  const isServers = reason !== undefined && catalogue[reason].status >= 500;
  expectAll(text, {
    'it is JSON': /^application\/(graphql-response\+)?json; charset=utf-8$/.test(
      String(headers['content-type']),
    ),
    'it has errors': errors.length > 0,
    'it is not the fault of the server': status < 500 || isServers,
    [`each reason is ${reason ?? 'in the catalogue'}`]: errors.every(
      ({ extensions }) =>
        Object.hasOwn(catalogue, extensions.reason) && extensions.reason === (reason ?? extensions.reason),
    ),
    'each code and status is that of the reason': errors.every(
      ({ extensions }) =>
        extensions.code === extensions.reason.toUpperCase() &&
        extensions.status === catalogue[extensions.reason as Reason]?.status,
    ),
    'each has a message': errors.every(({ message }) => isText(message) && message !== ''),
    'issues name fields': errors.every(
      ({ extensions: { issues } }) =>
        issues === undefined || (areIssues(issues, true) && issues.every((issue: any) => issue.path !== '')),
    ),
  });
}

/** Sends bytes over a new socket and reads until it is closed. */
export function raw(port: number, request: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const done = () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const cut = text.indexOf('\r\n\r\n');
      const [first = '', ...lines] = text.slice(0, cut).split('\r\n');
      const content = text.slice(cut + 4);
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 2),
        ]),
      );
      const body = content.startsWith('{') ? JSON.parse(content) : undefined;
      resolve({ status: Number(first.split(' ')[1]), headers, text: content, body });
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', done);
    // The server may close while the client sends; the response before that counts.
    socket.on('error', (error) => chunks.length === 0 && reject(error));
    socket.setTimeout(60_000, () => reject(new Error('no answer within a minute')));
  });
}

import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';

/** Faults: performed with a broken connection as response; or a broken connection or a 429 without performing it. */
type Fault = 'drop' | 'refuse' | 'limit';

/** What the payer does on Mollie's page, and what later charges of the mandate come to. */
interface Choice {
  status?: 'paid' | 'failed' | 'canceled' | 'expired';
  method?: 'creditcard' | 'ideal' | 'paypal';
  failureReason?: string;
  /** The status of later charges, or the reason why they fail. Default: `paid`. */
  later?: string;
  /** The country of the card. */
  cardCountry?: string;
}

/** A server that plays Mollie's documented answers to the requests that charge, keep mandates and refund. */
export interface FakeMollie {
  url: string;
  payments: Map<string, any>;
  refunds: any[];
  chargebacks: any[];
  customers: any[];
  mandates: Map<string, any>;
  /** `POST /v2/payments key`: every request. */
  requests: string[];
  /** The status of the refunds that are made from now on. */
  refundStatus: string;
  /** Lets the next requests, such as `POST /v2/payments`, go wrong, each in its way. */
  fail(request: string, ...faults: Fault[]): void;
  /** Lets answers to a request wait; returns how to let them go on. */
  hold(request: string): () => void;
  /** Forgets the idempotency keys, as Mollie does after an hour. */
  forgetKeys(): void;
  /** Lets the payer finish a first payment, or the bank a pending one. */
  finish(id: string, choice?: Choice): any;
  /** The payment made with an idempotency key. */
  find(key: string): any;
  close(): void;
}

export const apiKey = 'test_notreallyakeyofmollie1234';

class Refused extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly field?: string,
  ) {
    super(detail);
  }
}

/** The SDK opens a connection for every request, and Node reads 130 certificates for each: here once for all. */
function shareSecureContexts(): void {
  const contexts = new Map<unknown, tls.SecureContext>();
  const { createSecureContext } = tls;
  if (createSecureContext.name === 'createShared') return;
  tls.createSecureContext = function createShared(options) {
    if (typeof options?.ca !== 'string' || !options.ca.startsWith('##\n## Bundle of CA Root')) {
      return createSecureContext(options);
    }
    const known = contexts.get(options.ca) ?? createSecureContext(options);
    contexts.set(options.ca, known);
    return known;
  };
}

const fixture = (name: string) => readFileSync(new URL(`./mollie/${name}`, import.meta.url));

const amountForm = /^\d+(\.\d\d)?$/;
const link = (href: string) => ({ href, type: 'text/html' });

type State = Pick<FakeMollie, 'payments' | 'refunds' | 'chargebacks' | 'customers' | 'mandates'> & {
  refundStatus: string;
  lastId: number;
};

/** Starts one on a port of its own, with the key that it accepts. */
export async function startFakeMollie(key = apiKey): Promise<FakeMollie> {
  const state: State = {
    payments: new Map(),
    refunds: [],
    chargebacks: [],
    customers: [],
    mandates: new Map(),
    refundStatus: 'pending',
    lastId: 0,
  };
  const requests: string[] = [];
  const faults = new Map<string, Fault[]>();
  const holds = new Map<string, Promise<void>>();
  const answered = new Map<string, { text: string; status: number; body: any }>();

  const answer = (method: string, url: URL, fields: any, idempotencyKey: string) => {
    const text = JSON.stringify([url.pathname, fields]);
    const known = method === 'POST' ? answered.get(idempotencyKey) : undefined;
    if (known && known.text !== text) return toError(new Refused(400, 'other words for the same key'));
    // A repeated key is answered as it was the first time, whatever has become of the object since.
    const made = known ?? structuredClone({ text, ...perform(state, method, url, fields, idempotencyKey) });
    if (method === 'POST') answered.set(idempotencyKey, made);
    return made;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, 'https://fake');
    const idempotencyKey = String(request.headers['idempotency-key'] ?? '');
    const text = await read(request);
    requests.push(`${request.method} ${url.pathname} ${idempotencyKey}`.trim());
    const send = ({ status, body }: { status: number; body: any }) => {
      response.writeHead(status, { 'content-type': 'application/hal+json', 'retry-after': '0' });
      response.end(status === 204 ? undefined : JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${key}`)
      return send(toError(new Refused(401, 'Missing authentication, or failed to authenticate')));
    const fault = faults.get(`${request.method} ${url.pathname}`)?.shift();
    if (fault === 'refuse') return request.socket.destroy();
    if (fault === 'limit') return send(toError(new Refused(429, 'Too many requests')));
    const made = answer(request.method!, url, text === '' ? {} : JSON.parse(text), idempotencyKey);
    await holds.get(`${request.method} ${url.pathname}`);
    if (fault === 'drop') return request.socket.destroy();
    send(made);
  };
  const server = createServer(
    { key: fixture('key.pem'), cert: fixture('cert.pem') },
    (request, response) => void serve(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The SDK accepts only the certificates of public authorities, and has no option for others.
  shareSecureContexts();
  const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env;
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';

  return Object.assign(state, {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (request: string, ...what: Fault[]) => void faults.set(request, what),
    hold: (request: string) => {
      let release = () => {};
      holds.set(request, new Promise((resolve) => (release = resolve)));
      return () => {
        holds.delete(request);
        release();
      };
    },
    forgetKeys: () => answered.clear(),
    finish: (id: string, choice: Choice = {}) => finish(state, state.payments.get(id), choice),
    find: (wanted: string) =>
      [...state.payments.values()].find(({ metadata }) => metadata?.perennial_key === wanted),
    close: () => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      server.close();
      server.closeAllConnections();
    },
  });
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

const toError = ({ status, detail, field }: Refused) => ({
  status,
  body: { status, title: 'Refused', detail, field },
});

function perform(state: State, method: string, url: URL, fields: any, key: string) {
  try {
    const body = route(state, method, url, fields, key);
    return { status: body === undefined ? 204 : method === 'POST' ? 201 : 200, body };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return toError(error);
  }
}

const list = (name: string, items: any[]) => ({
  count: items.length,
  _embedded: { [name]: items },
  _links: {},
});

const require404 = <T>(found: T | undefined): T => {
  if (found === undefined) throw new Refused(404, 'No object exists with this id');
  return found;
};

function route(state: State, method: string, { pathname, searchParams }: URL, fields: any, key: string): any {
  const [kind = '', id = '', inner = '', innerId = ''] = pathname.split('/').slice(2);
  switch (`${method} ${kind}${inner && `/${inner}`}`) {
    case 'POST customers': {
      const made = { resource: 'customer', id: `cst_${++state.lastId}`, ...fields };
      state.customers.push(made);
      return made;
    }
    case 'GET customers/payments':
      return list(
        'payments',
        [...state.payments.values()].filter(({ customerId }) => customerId === id),
      );
    case 'GET customers/mandates':
      return require404(state.mandates.get(innerId));
    case 'DELETE customers/mandates':
      require404(state.mandates.get(innerId)).status = 'invalid';
      return undefined;
    case 'POST payments':
      return pay(state, fields, key);
    case 'GET payments': {
      const payment = require404(state.payments.get(id));
      if (searchParams.get('embed') !== 'refunds,chargebacks') return payment;
      const own = (made: any[]) => made.filter(({ paymentId }) => paymentId === id);
      return {
        ...payment,
        _embedded: { refunds: own(state.refunds), chargebacks: own(state.chargebacks) },
      };
    }
    case 'GET methods':
      return list('methods', []);
    case 'DELETE payments':
      return finish(state, require404(state.payments.get(id)), { status: 'canceled' });
    case 'GET payments/refunds':
      require404(state.payments.get(id));
      return list(
        'refunds',
        state.refunds.filter(({ paymentId }) => paymentId === id),
      );
    case 'POST payments/refunds':
      return giveBack(state, require404(state.payments.get(id)), fields);
    default:
      throw new Refused(404, `no such route: ${method} ${pathname}`);
  }
}

function pay(state: State, fields: any, key: string): any {
  const { amount, customerId, mandateId, sequenceType, method } = fields;
  if (!amountForm.test(amount?.value)) throw new Refused(422, 'The amount is invalid', 'amount');
  const isZero = Number(amount.value) === 0;
  const canBeZero = ['creditcard', 'paypal'];
  const chosen: string[] = [method ?? 'ideal'].flat();
  if (isZero && !chosen.every((each) => canBeZero.includes(each)))
    throw new Refused(422, 'The amount is lower than the minimum', 'amount');
  if (Number(amount.value) > 50_000)
    throw new Refused(422, 'The amount is higher than the maximum', 'amount');
  if (!state.customers.some(({ id }) => id === customerId))
    throw new Refused(422, 'The customer does not exist', 'customerId');
  const id = `tr_${++state.lastId}`;
  const made: any = { resource: 'payment', id, mode: 'test', ...fields, key, status: 'open', details: null };
  made.chosen = method;
  made.method = null;
  made.isCancelable = false;
  if (sequenceType === 'first') {
    if (!fields.redirectUrl) throw new Refused(422, 'The redirect URL is missing', 'redirectUrl');
    made._links = { checkout: link(`https://pay.mollie.example/${id}`), dashboard: link('https://my') };
    state.payments.set(id, made);
    return made;
  }
  const mandate = state.mandates.get(mandateId);
  if (mandate?.customerId !== customerId || mandate.status !== 'valid')
    throw new Refused(422, 'No suitable mandates found for customer', 'mandateId');
  made._links = { dashboard: link('https://my') };
  made.method = mandate.method;
  state.payments.set(id, made);
  const { later } = mandate;
  const isStatus = later === 'paid' || later === 'pending';
  made.status = isStatus ? later : 'failed';
  if (!isStatus) made.details = { failureReason: later };
  return made;
}

const card = { cardNumber: '6787', cardLabel: 'Mastercard', cardFingerprint: 'fHB3CCKx9REkz8fPplT8N4nq' };
const account = { consumerName: 'T. Test', consumerAccount: 'NL55INGB0000000000' };

function finish(
  state: State,
  payment: any,
  { status = 'paid', method = 'creditcard', ...choice }: Choice,
): any {
  payment.status = status;
  payment.method ??= method;
  payment._links = { dashboard: link('https://my') };
  payment.details = method === 'creditcard' ? { ...card } : method === 'ideal' ? { ...account } : {};
  if (choice.cardCountry) payment.details.cardCountryCode = choice.cardCountry;
  if (choice.failureReason) payment.details.failureReason = choice.failureReason;
  if (status !== 'paid' || payment.sequenceType !== 'first') return payment;
  const id = `mdt_${++state.lastId}`;
  payment.mandateId = id;
  const kind = method === 'ideal' ? 'directdebit' : method;
  const details =
    method === 'creditcard' ? { ...payment.details, cardExpiryDate: '2027-08-31' } : payment.details;
  const { customerId } = payment;
  const later = choice.later ?? 'paid';
  state.mandates.set(id, {
    resource: 'mandate',
    id,
    customerId,
    status: 'valid',
    method: kind,
    details,
    later,
  });
  return payment;
}

function giveBack(state: State, payment: any, { amount, metadata }: any): any {
  const given = state.refunds
    .filter(({ paymentId, status }) => paymentId === payment.id && status !== 'failed')
    .reduce((sum, each) => sum + Number(each.amount.value), 0);
  if (given + Number(amount.value) > Number(payment.amount.value))
    throw new Refused(409, 'The payment has already been refunded', 'amount');
  const id = `re_${++state.lastId}`;
  const made = {
    resource: 'refund',
    id,
    status: state.refundStatus,
    amount,
    metadata,
    paymentId: payment.id,
  };
  state.refunds.push(made);
  return made;
}

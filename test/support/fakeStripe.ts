import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { invalid, Refused } from './fakeStripeErrors.ts';
import { dispute, refundAtDashboard } from './fakeStripeReversals.ts';
import { completeSession, routeSession } from './fakeStripeSessions.ts';

/** Faults: performed with a broken connection or a 500 as response; or a 500 or 429 without performing it. */
type Fault = 'drop' | 'lose' | 'error' | 'limit';

/** One movement of money. */
interface Moved {
  kind: 'charge' | 'refund';
  key: string;
  amount: number;
  currency: string;
}

/** A server that plays Stripe's documented answers to the requests that charge, keep methods and refund. */
export interface FakeStripe {
  url: string;
  moved: Moved[];
  customers: any[];
  intents: Map<string, any>;
  /** `POST /v1/payment_intents key`: every request. */
  requests: string[];
  /** Lets the next requests to a path go wrong, each in its way. */
  fail(path: string, ...faults: Fault[]): void;
  /** Forgets the idempotency keys, as Stripe does after a day. */
  forgetKeys(): void;
  /** Lets requests to a path wait; answers how to let them go on. */
  hold(path: string): () => void;
  /** Sets the new status of an intent, as the payer's bank does. */
  finish(id: string, succeeds: boolean): any;
  /** The status of the refunds that are made from now on. */
  refundStatus: string;
  /** Sets the outcome of a refund. */
  finishRefund(id: string, status: string): any;
  refunds: any[];
  /** Makes a refund in the dashboard. */
  refundAtDashboard(intent: string, amount: number, status?: string): any;
  /** Opens the dispute of a payment, or changes it. */
  dispute(intent: string, status: string, fields?: object): any;
  /** Lets the payer pay on the page of a session; answers its payment. */
  completeSession(id: string, method: string): any;
  sessions: Map<string, any>;
  /** The payment methods that were detached. */
  detached: string[];
  /** A callback about an object, signed. */
  callback(type: string, object: any, options?: { secret?: string; timestamp?: number }): Signed;
  close(): void;
}

export interface Signed {
  body: string;
  signature: string;
}

export const secretKey = 'sk_test_notreallyasecret';
export const webhookSecret = 'whsec_notreallyasecret';

/** How the test methods behave while the payer is there, and later. */
const methods: Record<string, [now: string, later: string]> = {
  pm_card_visa: ['succeeded', 'succeeded'],
  pm_card_fr: ['succeeded', 'succeeded'],
  pm_card_visa_chargeDeclined: ['generic_decline', 'generic_decline'],
  pm_card_chargeDeclinedInsufficientFunds: ['insufficient_funds', 'insufficient_funds'],
  pm_card_chargeCustomerFail: ['succeeded', 'generic_decline'],
  pm_card_authenticationRequired: ['requires_action', 'authentication_required'],
  pm_sepa: ['processing', 'processing'],
  pm_sepa_kept: ['succeeded', 'processing'],
};

/** Starts one on a port of its own. */
export async function startFakeStripe(): Promise<FakeStripe> {
  const state = {
    moved: [] as Moved[],
    customers: [] as any[],
    intents: new Map<string, any>(),
    refunds: [] as any[],
    refundStatus: 'succeeded',
    kept: new Map<string, string>(),
    usedTokens: new Set<string>(),
    sessions: new Map<string, any>(),
    disputes: new Map<string, any>(),
    detached: [] as string[],
    lastId: 0,
  };
  const requests: string[] = [];
  const faults = new Map<string, Fault[]>();
  const holds = new Map<string, Promise<void>>();
  const answered = new Map<string, { text: string; status: number; body: object }>();
  const signer = new Stripe(secretKey);

  const answer = (method: string, path: string, fields: any, key: string) => {
    const known = answered.get(key);
    const text = JSON.stringify([path, fields]);
    if (known && known.text !== text) {
      return { status: 400, body: { error: { type: 'idempotency_error', message: 'other words' } } };
    }
    // A repeated key is answered as it was the first time, whatever has become of the object since.
    const made = known ?? expanded(state, fields, perform(state, method, path, fields, key), text);
    if (method === 'POST') answered.set(key, made);
    return made;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname: path, searchParams } = new URL(request.url!, 'http://fake');
    const key = String(request.headers['idempotency-key'] ?? '');
    const fields = parseFields(
      request.method === 'POST' ? new URLSearchParams(await read(request)) : searchParams,
    );
    requests.push(`${request.method} ${path} ${key}`.trim());
    const send = (status: number, body: object) => {
      // As Stripe advises of its own errors, for the key would only repeat them.
      const advice = status === 500 && { 'stripe-should-retry': 'false' };
      response.writeHead(status, { 'content-type': 'application/json', ...advice });
      response.end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${secretKey}`) {
      return send(401, { error: { type: 'invalid_request_error', message: 'Invalid API Key' } });
    }
    const fault = faults.get(path)?.shift();
    const broken = { error: { type: 'api_error', message: 'out of order' } };
    if (fault === 'error') return send(500, broken);
    if (fault === 'limit') return send(429, { error: { type: 'invalid_request_error', code: 'rate_limit' } });
    const { status, body } = answer(request.method!, path, fields, key);
    await holds.get(path);
    if (fault === 'drop') return request.socket.destroy();
    if (fault === 'lose') return send(500, broken);
    send(status, body);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    moved: state.moved,
    customers: state.customers,
    intents: state.intents,
    refunds: state.refunds,
    get refundStatus() {
      return state.refundStatus;
    },
    set refundStatus(status) {
      state.refundStatus = status;
    },
    refundAtDashboard: (intent, amount, status = 'succeeded') =>
      refundAtDashboard(state, intent, amount, status),
    dispute: (intent, status, fields = {}) => dispute(state, intent, status, fields),
    finishRefund: (id, status) =>
      Object.assign(
        state.refunds.find((each) => each.id === id),
        { status },
      ),
    requests,
    fail: (path, ...what) => void faults.set(path, what),
    forgetKeys: () => answered.clear(),
    hold: (path) => {
      let release = () => {};
      holds.set(path, new Promise((resolve) => (release = resolve)));
      return () => {
        holds.delete(path);
        release();
      };
    },
    sessions: state.sessions,
    detached: state.detached,
    completeSession: (id, method) =>
      completeSession(state, id, (made) => confirm(state, made, { ...confirmed, payment_method: method })),
    finish: (id, succeeds) =>
      applyOutcome(state, state.intents.get(id), succeeds ? 'succeeded' : 'generic_decline'),
    callback: (type, object, { secret = webhookSecret, timestamp } = {}) => {
      const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
      const signature = signer.webhooks.generateTestHeaderString({
        payload: body,
        secret,
        timestamp,
      });
      return { body, signature };
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** `metadata[tenant]=a` as `{metadata: {tenant: 'a'}}`. */
function parseFields(form: URLSearchParams): any {
  const fields: any = {};
  for (const [name, value] of form) {
    const [first, ...rest] = name.split(/[[\]]+/).filter(Boolean);
    const keys = [first!, ...rest];
    const last = keys.pop()!;
    keys.reduce((inner, key) => (inner[key] ??= {}), fields)[last] = value;
  }
  return fields;
}

type State = Record<string, any>;

/** What a confirmation of the payer on a page of Stripe has. */
const confirmed = { confirm: 'true', return_url: 'https://checkout.stripe.example/' };

/** The answer with the objects in place of the ids that `expand` names, as it is at this moment. */
function expanded(state: State, { expand = {} }: any, { status, body }: any, text: string) {
  const answer = structuredClone({ text, status, body });
  for (const path of Object.values<string>(expand)) expandField(state, answer.body, path.split('.'));
  return answer;
}

function expandField(state: State, object: any, [field, ...rest]: string[]): void {
  const id = object?.[field!];
  if (typeof id !== 'string') return;
  object[field!] = structuredClone(id.startsWith('pm_') ? findMethod(state, id) : state.intents.get(id));
  if (rest.length > 0) expandField(state, object[field!], rest);
}

/** A payment method as Stripe shows it; every kind of test card is one card. */
function findMethod(state: State, id: string): any {
  const name: string = state.kept.get(id) ?? refuseMissing();
  const isDebit = name.startsWith('pm_sepa');
  const fingerprint = `print_${name}`;
  // As Stripe names its test cards of countries.
  const country = /^pm_card_([a-z]{2})$/.exec(name)?.[1]?.toUpperCase();
  const details = isDebit
    ? { sepa_debit: { last4: '3000', bank_code: '37040044', fingerprint } }
    : { card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034, fingerprint, country } };
  return { id, object: 'payment_method', type: isDebit ? 'sepa_debit' : 'card', ...details };
}

function perform(state: State, method: string, path: string, fields: any, key: string) {
  try {
    return { status: 200, body: route(state, `${method} ${path}`, fields, key) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: { error: error.error } };
  }
}

const list = (data: any[]) => ({ object: 'list', has_more: false, data });

function route(state: State, request: string, fields: any, key: string): any {
  const [, kind, id] = /^GET \/v1\/(payment_intents|setup_intents)\/(\w+)$/.exec(request) ?? [];
  if (kind) return state.intents.get(id) ?? refuseMissing();
  const [, cancelled] = /^POST \/v1\/(?:payment|setup)_intents\/(\w+)\/cancel$/.exec(request) ?? [];
  if (cancelled) return cancelIntent(state, cancelled);
  const [, method, detaches] = /^(?:GET|POST) \/v1\/payment_methods\/(\w+)(\/detach)?$/.exec(request) ?? [];
  if (method) {
    if (detaches) state.detached.push(method);
    return findMethod(state, method);
  }
  const [, disputed] = /^GET \/v1\/disputes\/(\w+)$/.exec(request) ?? [];
  if (disputed) return state.disputes.get(disputed) ?? refuseMissing();
  if (request.includes(' /v1/checkout/sessions')) return routeSession(state, request, fields);
  switch (request) {
    case 'GET /v1/customers/search':
      return list(state.customers.filter(({ metadata }: any) => matches(metadata, fields.query)));
    case 'POST /v1/customers':
      return add(state.customers, { id: `cus_${++state.lastId}`, object: 'customer', ...fields });
    case 'GET /v1/payment_intents':
      return list([...state.intents.values()].filter(({ customer }) => customer === fields.customer));
    case 'POST /v1/payment_intents':
      return pay(state, fields, key);
    case 'POST /v1/setup_intents':
      return confirm(state, { ...base(state, 'seti', fields, key), object: 'setup_intent' }, fields);
    case 'GET /v1/refunds':
      return list(state.refunds.filter((each: any) => each.payment_intent === fields.payment_intent));
    case 'POST /v1/refunds':
      return giveBack(state, fields, key);
    default:
      throw new Refused(404, { type: 'invalid_request_error', message: `no such route: ${request}` });
  }
}

function cancelIntent(state: State, id: string): any {
  const made = state.intents.get(id) ?? refuseMissing();
  if (made.status !== 'requires_action') throw invalid('payment_intent_unexpected_state', 'intent');
  return Object.assign(made, { status: 'canceled', next_action: null });
}

const refuseMissing = () => {
  throw invalid('resource_missing', 'intent');
};

const matches = (metadata: any, query: string) =>
  query.split(' AND ').every((term) => {
    const [, field, value] = /^metadata\['(\w+)'\]:'([\w-]+)'$/.exec(term)!;
    return metadata[field!] === value;
  });

function add<T>(to: T[], made: T): T {
  to.push(made);
  return made;
}

function base(state: State, prefix: string, fields: any, key: string): any {
  const { customer, metadata, amount, currency, return_url } = fields;
  if (!state.customers.some(({ id }: any) => id === customer)) throw invalid('resource_missing', 'customer');
  const next_action = null;
  const money = amount && { amount: Number(amount), amount_received: 0, currency };
  const usage = { setup_future_usage: fields.setup_future_usage ?? null };
  const id = `${prefix}_${++state.lastId}`;
  return { id, customer, metadata, ...money, ...usage, return_url, next_action, key };
}

function pay(state: State, fields: any, key: string): any {
  const amount = Number(fields.amount);
  if (!(amount >= 1)) throw invalid('amount_too_small', 'amount');
  if (amount > 99_999_999) throw invalid('amount_too_large', 'amount');
  return confirm(state, { ...base(state, 'pi', fields, key), object: 'payment_intent' }, fields);
}

/** Confirms with the method: a test method becomes one of its own, kept by the customer. */
function confirm(state: State, made: any, fields: any): any {
  if (fields.confirm !== 'true' || !fields.return_url) throw invalid('parameter_missing', 'return_url');
  const { confirmation_token: token } = fields;
  if (state.usedTokens.has(token)) throw invalid('confirmation_token_already_used', 'confirmation_token');
  if (token) state.usedTokens.add(token);
  // A token names its card: `ctoken_1_pm_card_visa`.
  const chosen = token ? token.replace(/^ctoken_\d+_/, '') : fields.payment_method;
  const name = state.kept.get(chosen) ?? chosen;
  const behaviour = methods[name] ?? refuseMissing();
  const isKept = state.kept.has(chosen);
  if (fields.off_session && !isKept) throw invalid('payment_method_unactivated', 'payment_method');
  made.payment_method = isKept ? chosen : `pm_${++state.lastId}`;
  state.kept.set(made.payment_method, name);
  state.intents.set(made.id, made);
  applyOutcome(state, made, behaviour[fields.off_session === 'true' ? 1 : 0]);
  // A token leaves the confirmation to the script of Stripe, unless the request says otherwise.
  if (token && made.next_action && fields.use_stripe_sdk !== 'false')
    made.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: {} };
  const error = made.last_payment_error ?? made.last_setup_error;
  if (error) throw new Refused(402, { ...error, [made.object]: made });
  return made;
}

function applyOutcome(state: State, made: any, outcome: string): any {
  made.next_action = null;
  if (outcome === 'requires_action') {
    const url = `https://hooks.stripe.example/redirect/${made.id}`;
    made.next_action = { type: 'redirect_to_url', redirect_to_url: { url, return_url: made.return_url } };
  }
  const isStatus = ['succeeded', 'requires_action', 'processing'].includes(outcome);
  made.status = isStatus ? outcome : 'requires_payment_method';
  if (!isStatus) {
    const code = outcome === 'authentication_required' ? outcome : 'card_declined';
    const error = { type: 'card_error', code, decline_code: outcome, message: 'Your card was declined.' };
    made[made.object === 'payment_intent' ? 'last_payment_error' : 'last_setup_error'] = error;
  }
  if (outcome === 'succeeded' && made.object === 'payment_intent') {
    const { key, amount, currency } = made;
    made.amount_received = amount;
    state.moved.push({ kind: 'charge', key, amount, currency });
  }
  return made;
}

function giveBack(state: State, fields: any, key: string): any {
  const { payment_intent, metadata } = fields;
  const intent = state.intents.get(payment_intent) ?? refuseMissing();
  const amount = Number(fields.amount);
  const given = state.refunds
    .filter((each: any) => each.payment_intent === payment_intent && each.status !== 'failed')
    .reduce((sum: number, each: any) => sum + each.amount, 0);
  if (given === intent.amount) throw invalid('charge_already_refunded');
  if (given + amount > intent.amount) throw invalid('amount_too_large', 'amount');
  state.moved.push({ kind: 'refund', key, amount, currency: intent.currency });
  const made = {
    id: `re_${++state.lastId}`,
    object: 'refund',
    status: state.refundStatus,
    amount,
    currency: intent.currency,
    payment_intent,
    metadata,
  };
  return add(state.refunds, made);
}

/** The Checkout Sessions of the server that plays Stripe. */

import { invalid } from './fakeStripeErrors.ts';

type State = Record<string, any>;

/** Answers a request about sessions. */
export function routeSession(state: State, request: string, fields: any): any {
  const [, id, expires] = /sessions\/(\w+)(\/expire)?$/.exec(request) ?? [];
  if (request === 'POST /v1/checkout/sessions') return createSession(state, fields);
  if (!id) {
    const data = [...state['sessions'].values()].filter(({ customer }) => customer === fields.customer);
    return { object: 'list', has_more: false, data };
  }
  const session = state['sessions'].get(id);
  if (expires) {
    if (session.status !== 'open') throw invalid('checkout_session_not_open');
    Object.assign(session, { status: 'expired', url: null });
  }
  return session;
}

function createSession(state: State, fields: any): any {
  const id = `cs_${++state['lastId']}`;
  const { mode, customer, metadata, success_url, cancel_url, payment_intent_data, setup_intent_data } =
    fields;
  const item = fields.line_items?.['0'];
  const session = {
    id,
    object: 'checkout.session',
    mode,
    customer,
    metadata,
    success_url,
    cancel_url,
    status: 'open',
    url: `https://checkout.stripe.example/${id}`,
    amount_total: item ? Number(item.price_data.unit_amount) * Number(item.quantity) : null,
    currency: item?.price_data.currency ?? fields.currency,
    payment_intent: null,
    setup_intent: null,
    intent_data: payment_intent_data ?? setup_intent_data,
  };
  state['sessions'].set(id, session);
  return session;
}

/** Makes the payment of a session; `confirm` confirms it with the method of the payer. */
export function completeSession(state: State, id: string, confirm: (made: any) => any): any {
  const session = state['sessions'].get(id);
  const isPayment = session.mode === 'payment';
  const made = {
    id: `${isPayment ? 'pi' : 'seti'}_${++state['lastId']}`,
    object: isPayment ? 'payment_intent' : 'setup_intent',
    customer: session.customer,
    ...session.intent_data,
    ...(isPayment && { amount: session.amount_total, amount_received: 0, currency: session.currency }),
    next_action: null,
    key: session.intent_data.metadata.perennial_key,
  };
  const intent = confirm(made);
  const own = isPayment ? { payment_intent: intent.id } : { setup_intent: intent.id };
  Object.assign(session, { status: 'complete', url: null, ...own });
  return intent;
}

/** Refunds from Stripe's dashboard and disputes, for the server that plays Stripe. */

type State = Record<string, any>;

/** Makes a refund that nobody asked for by the API. */
export function refundAtDashboard(state: State, payment_intent: string, amount: number, status: string): any {
  const { currency } = state['intents'].get(payment_intent);
  const id = `re_${++state['lastId']}`;
  const made = { id, object: 'refund', status, amount, currency, payment_intent, metadata: {} };
  state['refunds'].push(made);
  return made;
}

/** Opens a dispute of a payment, or changes the one that it has. */
export function dispute(state: State, payment_intent: string, status: string, fields: object): any {
  const { amount, currency } = state['intents'].get(payment_intent);
  const id = `du_${payment_intent}`;
  const evidence_details = { due_by: Date.parse('2026-02-14T00:00:00Z') / 1000, has_evidence: false };
  const made = state['disputes'].get(id) ?? {
    id,
    object: 'dispute',
    amount,
    currency,
    payment_intent,
    reason: 'fraudulent',
    evidence_details,
    metadata: {},
  };
  Object.assign(made, { status }, fields);
  state['disputes'].set(id, made);
  return made;
}

/** The charge of a payment, as events about refunds have it. */
export const chargeOf = ({ id, metadata, amount, currency }: any) => ({
  id: `ch_${id}`,
  object: 'charge',
  payment_intent: id,
  metadata,
  amount,
  currency,
});

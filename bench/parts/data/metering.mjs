// What usage and limits are measured with: a meter, a limit that customers have by exceptions of their own, and batches of events.
import { numberMark } from '../load/requests.mjs';

const meterEvent = 'request';
export const feature = 'tokens';
/** More than a run uses. */
const limit = '1000000000000';

const models = ['small', 'medium', 'large'];
const graphql = (query, variables) => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
});
const overridesAtOnce = 20;

/** Creates the meter; returns its id. */
export async function createMeter(send) {
  const input = `{ name: "Tokens", event: "${meterEvent}", aggregation: sum, value: "tokens", groupBy: ["model"] }`;
  const { data } = await send(graphql(`mutation { createMeter(input: ${input}) { id } }`));
  return data.createMeter.id;
}

/** Creates the meter and the limit, which these customers have. */
export async function createLimit(send, customers) {
  const meterId = await createMeter(send);
  const input = `{ key: "${feature}", name: "Tokens", kind: limit, meterId: "${meterId}" }`;
  await send(graphql(`mutation { createFeature(input: ${input}) { id } }`));
  for (let from = 0; from < customers.length; from += overridesAtOnce) {
    const fields = customers
      .slice(from, from + overridesAtOnce)
      .map(
        ({ id }, index) =>
          `o${index}: overrideEntitlement(input: { customerId: "${id}", feature: "${feature}", value: "${limit}" }) { id }`,
      );
    await send(graphql(`mutation { ${fields.join('\n')} }`));
  }
}

/** Builds the body of a request with this many events of 100 customers; their ids differ in each request. */
export function buildEvents(customers, count, from) {
  const own = Array.from({ length: 100 }, (_, index) => customers[(from + index) % customers.length]);
  const events = Array.from({ length: count }, (_, index) => ({
    id: `request-${numberMark}-${index}`,
    event: meterEvent,
    customerId: own[(index * 7) % own.length].id,
    properties: { tokens: (index * 37) % 1000, model: models[index % models.length] },
  }));
  return JSON.stringify({ events });
}

import type { TestApp } from '../../support/app.ts';
import { openFeatureShop } from './shop.ts';

const typeDocument = 'mutation ($input: CreateCreditTypeInput!) { createCreditType(input: $input) { id } }';
const ratesDocument = `mutation ($id: ID!, $input: UpdateCreditTypeInput!) {
  updateCreditType(id: $id, input: $input) { id } }`;

let recorded = 0;

/** A customer with a limit of credits a month: an image costs 10, and 1,000 tokens cost 1. */
export async function openCredits(app: TestApp, value: string | null, fields: object = {}) {
  const shop = await openFeatureShop(app);
  const images = await shop.meter({ name: 'Images', event: 'image', groupBy: [], value: 'n' });
  const tokens = await shop.meter({ name: 'Tokens', event: 'tokens', groupBy: [], value: 'n' });
  const rates = [
    { meterId: images, credits: '10' },
    { meterId: tokens, units: '1000', credits: '1' },
  ];
  const { createCreditType: type } = await shop.client.graphql(typeDocument, {
    input: { name: 'AI credits', rates },
  });
  const feature = await shop.feature('limit', { creditTypeId: type.id });
  const plan = await shop.plan(20, { name: 'Plan' });
  await shop.attach(plan, feature, value, fields);
  const subscriptionId = await shop.order(plan);
  /** Records units of a meter. Returns the id of the event. */
  const record = async (event: string, n: string | number) => {
    const id = `${event}-${(recorded += 1)}`;
    const events = [{ id, event, customerId: shop.customer.id, properties: { n } }];
    await shop.client.graphql(
      'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { accepted } }',
      { events },
    );
    return id;
  };
  const setRates = (changed: object[]) =>
    shop.client.graphql(ratesDocument, { id: type.id, input: { rates: changed } });
  return {
    ...shop,
    addFeature: shop.feature,
    images,
    tokens,
    typeId: type.id,
    rates,
    setRates,
    feature,
    plan,
    record,
    subscriptionId,
  };
}

// `npm run setup`: makes the plan and the webhook endpoint of the test tenant, once.
import { Perennial } from '@perennial/sdk';

const { BILLING_URL, API_KEY, WORKER_URL } = process.env;
const perennial = new Perennial({ url: BILLING_URL, key: API_KEY });

const meter = await perennial.meters.create({
  name: 'Words',
  event: 'words',
  aggregation: 'sum',
  value: 'words',
});
await perennial.features.create({ key: 'words', name: 'Words', kind: 'limit', meterId: meter.id });
const product = await perennial.products.create({
  name: 'Words',
  description: 'A hundred words a month',
  prices: [{ details: { decimal: '5.00', currency: 'usd' }, recurring: { frequency: 'Monthly', period: 1 } }],
});
await perennial.features.attach({ productId: product.id, feature: 'words', value: 100 });
const endpoint = await perennial.webhookEndpoints.create({
  url: `${WORKER_URL}/perennial`,
  events: ['SubscriptionEvent'],
});
console.log(`WEBHOOK_SECRET=${endpoint.secret}`);

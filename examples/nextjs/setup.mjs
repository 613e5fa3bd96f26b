// `npm run setup`: makes the catalogue, the webhook endpoint and the settings of the test tenant, once.
import { Perennial } from '@perennial/sdk';

const { BILLING_URL, API_KEY, SITE_URL } = process.env;
const perennial = new Perennial({ url: BILLING_URL, key: API_KEY });

await perennial.tenant.update({
  allowedOrigins: [SITE_URL],
  portal: { planChange: true, cancellation: 'period_end' },
});
const group = await perennial.groups.create({ name: 'Digest', prorateUpgrades: true });
const meter = await perennial.meters.create({ name: 'Summaries', event: 'summary', aggregation: 'count' });
await perennial.features.create({ key: 'summaries', name: 'Summaries', kind: 'limit', meterId: meter.id });
for (const { name, description, decimal, value } of [
  { name: 'Reader', description: 'Three summaries a month', decimal: '9.00', value: 3 },
  { name: 'Library', description: 'A thousand summaries a month', decimal: '29.00', value: 1000 },
]) {
  const recurring = { frequency: 'Monthly', period: 1 };
  const prices = [{ details: { decimal, currency: 'usd' }, recurring }];
  const product = await perennial.products.create({ groupId: group.id, name, description, prices });
  await perennial.features.attach({ productId: product.id, feature: 'summaries', value });
}
const endpoint = await perennial.webhookEndpoints.create({
  url: `${SITE_URL}/api/perennial`,
  events: ['SubscriptionEvent'],
});
console.log(`WEBHOOK_SECRET=${endpoint.secret}`);

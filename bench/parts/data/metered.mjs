// Turns due subscriptions into metered ones: an add-on is billed by a meter that has counted a thousand events of each.
import { alias } from '../../peers/store.mjs';

const since = '2000-01-01T00:00:00.000Z';
const meterId = 'mtr_metered';
const dayMs = 86_400_000;
const quarterMs = 15 * 60_000;
/** A thousand events in as many quarters of an hour as this, as of somebody who works on weekdays. */
const buckets = 100;
const eventsEach = 10;
const pricing = { model: 'per_unit', unitAmount: '0.0005', usage: { meterId } };
const addOn = {
  productId: 'prod_tokens',
  priceId: 'price_tokens',
  productName: 'Tokens',
  quantity: 1,
  pricing,
  amountMinor: '0',
  addedAt: since,
};

/** The copies that `due.mjs` has made. */
const isCopied = "substr(id, 5, 10) = '0000000000'";

/** Lists the statements that make the subscriptions that are due at an instant metered, alike on both databases. */
export function listMeteredStatements(at) {
  const begunMs = Date.parse(at) - 30 * dayMs;
  const begun = new Date(begunMs).toISOString();
  return [
    `UPDATE tenants SET usage_since = '${since}' WHERE alias = '${alias}'`,
    `INSERT INTO meters (tenant_alias, id, name, event, aggregation, value, group_by, filter, persistent, unit_multiplier,
       starts_at, created_at, updated_at)
     VALUES ('${alias}', '${meterId}', 'Tokens', 'request', 'sum', 'tokens', '[]', '[]', false, '1', '${since}', '${since}',
       '${since}')`,
    `UPDATE subscriptions SET add_ons = '${JSON.stringify([addOn])}', usage_since = '${since}' WHERE ${isCopied}`,
    `INSERT INTO usage_periods (tenant_alias, id, customer_id, subscription_id, open_for, meter_id, price_id, is_add_on,
       product_id, product_name, currency, frequency, period, anchor, pricing, starts_at, charges, created_at)
     SELECT tenant_alias, 'usp_' || id, customer_id, id, id, '${meterId}', 'price_tokens', true, 'prod_tokens', 'Tokens',
       currency, frequency, period, anchor, '${JSON.stringify(pricing)}', '${begun}', '[]', '${begun}'
     FROM subscriptions WHERE ${isCopied}`,
    ...listQuarters(begunMs).map(
      (startsAt) =>
        `INSERT INTO usage_buckets (tenant_alias, meter_id, customer_id, starts_at, group_key, events, sum)
         SELECT tenant_alias, '${meterId}', customer_id, '${startsAt}', '[]', ${eventsEach}, '4321.5'
         FROM subscriptions WHERE ${isCopied}`,
    ),
  ];
}

function listQuarters(begunMs) {
  const firstMs = Math.ceil(begunMs / quarterMs) * quarterMs;
  const stepMs = Math.floor((29 * dayMs) / buckets / quarterMs) * quarterMs;
  return Array.from({ length: buckets }, (_, index) => new Date(firstMs + index * stepMs).toISOString());
}

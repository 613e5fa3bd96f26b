// Turns due subscriptions into rich ones: a graduated price and two add-ons, with two discounts each.
import { alias } from '../../peers/store.mjs';

const since = '2000-01-01T00:00:00.000Z';
const tiers = [
  { upTo: '5', unitAmount: '7', flatAmount: '0' },
  { upTo: null, unitAmount: '6', flatAmount: '0' },
];
/** 12 units: 5 at 7.00 and 7 at 6.00. */
const [quantity, amountMinor] = [12, 7700];
const pricing = JSON.stringify({ model: 'graduated', tiers });
const addOns = JSON.stringify([
  {
    productId: 'prod_storage',
    priceId: 'price_storage',
    productName: 'Storage',
    quantity: 3,
    pricing: { model: 'per_unit', unitAmount: '4' },
    amountMinor: '1200',
    addedAt: since,
  },
  {
    productId: 'prod_support',
    priceId: 'price_support',
    productName: 'Support',
    quantity: 1,
    pricing: null,
    amountMinor: '500',
    addedAt: since,
  },
]);
/** Both go on forever: a discount that ends would be changed by its first use. */
const coupons = [
  { id: 'coup_percent', columns: 'percent_off', values: `'12.5'` },
  { id: 'coup_amount', columns: 'amount_off_minor, currency', values: `300, 'usd'` },
];

/** The copies that `due.mjs` has made. */
const isCopied = "substr(id, 5, 10) = '0000000000'";

/** Lists the statements that make the due subscriptions of a database rich, alike on both databases. */
export const listRichStatements = () => [
  `UPDATE tenants SET discounts_since = '${since}' WHERE alias = '${alias}'`,
  `UPDATE subscriptions SET quantity = ${quantity}, amount_minor = ${amountMinor}, pricing = '${pricing}',
     add_ons = '${addOns}' WHERE ${isCopied}`,
  ...coupons.map(
    ({ id, columns, values }) =>
      `INSERT INTO coupons (tenant_alias, id, name, ${columns}, duration, times_redeemed, active, metadata, created_at, updated_at)
       SELECT '${alias}', '${id}', 'Loyal', ${values}, 'forever', 0, true, '{}', '${since}', '${since}'`,
  ),
  ...coupons.map(
    ({ id }, position) =>
      `INSERT INTO discounts (tenant_alias, id, customer_id, subscription_id, coupon_id, position, starts_at, created_at, updated_at)
       SELECT tenant_alias, 'disc${position}_' || id, customer_id, id, '${id}', ${position}, '${since}', '${since}', '${since}'
       FROM subscriptions WHERE ${isCopied}`,
  ),
];

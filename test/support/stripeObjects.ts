/** Objects of Stripe's API, with the fields of its responses that the import reads or must ignore. */

export const seconds = (instant: string) => Date.parse(instant) / 1000;
export const begin = seconds('2026-01-15T00:00:00Z');

interface Fields {
  unit_amount?: number | null;
  [field: string]: unknown;
}

export const customer = (id: string, fields: object = {}) => ({
  id,
  object: 'customer',
  address: null,
  balance: 0,
  created: begin,
  currency: 'usd',
  default_source: null,
  delinquent: false,
  description: null,
  discount: null,
  email: `${id}@example.com`,
  invoice_prefix: 'A1B2C3D4',
  invoice_settings: { custom_fields: null, default_payment_method: null, footer: null },
  livemode: false,
  metadata: {},
  name: 'Ada Lovelace',
  phone: null,
  shipping: null,
  tax_exempt: 'none',
  test_clock: null,
  ...fields,
});

export const price = (id: string, product: string, { unit_amount = 2000, ...fields }: Fields = {}) => ({
  id,
  object: 'price',
  active: true,
  billing_scheme: 'per_unit',
  created: begin,
  currency: 'usd',
  custom_unit_amount: null,
  livemode: false,
  lookup_key: null,
  metadata: {},
  nickname: null,
  product,
  recurring: { interval: 'month', interval_count: 1, trial_period_days: null, usage_type: 'licensed' },
  tax_behavior: 'unspecified',
  tiers_mode: null,
  transform_quantity: null,
  type: 'recurring',
  unit_amount,
  unit_amount_decimal: unit_amount === null ? null : String(unit_amount),
  ...fields,
});

export const product = (id: string) => ({
  id,
  object: 'product',
  name: `Plan ${id}`,
  description: null,
  active: true,
});

export const item = (fields: object = {}) => ({
  id: 'si_1',
  object: 'subscription_item',
  billing_thresholds: null,
  created: begin,
  current_period_start: begin,
  current_period_end: seconds('2026-02-15T00:00:00Z'),
  current_trial: null,
  discounts: [],
  metadata: {},
  price: { id: 'price_1', object: 'price' },
  quantity: 1,
  tax_rates: [],
  ...fields,
});

export const subscription = (id: string, fields: object = {}, items: object[] = [item()]) => ({
  id,
  object: 'subscription',
  application: null,
  application_fee_percent: null,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null },
  billing_cycle_anchor: begin,
  billing_schedules: [],
  billing_thresholds: null,
  cancel_at: null,
  cancel_at_period_end: false,
  collection_method: 'charge_automatically',
  created: begin,
  currency: 'usd',
  customer: 'cus_1',
  days_until_due: null,
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  items: { object: 'list', data: items, has_more: false },
  livemode: false,
  managed_payments: null,
  metadata: {},
  on_behalf_of: null,
  pause_collection: null,
  pending_invoice_item_interval: null,
  pending_update: null,
  schedule: null,
  start_date: begin,
  status: 'active',
  transfer_data: null,
  trial_end: null,
  trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' } },
  trial_start: null,
  ...fields,
});

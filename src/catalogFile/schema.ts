/** The form of a catalogue file. The reference of its fields and the types of the SDK are derived from it. */
import * as z from 'zod';
import { refuse, type Issue } from '../lib/errors.ts';
import { parseInput } from '../lib/validation.ts';

const mostProducts = 500;
const mostPrices = 100;
const mostEntries = 200;

const text = (description: string) => z.string().describe(description);
const flag = (description: string) => z.boolean().describe(description);
const whole = (description: string) => z.number().describe(description);
const data = (description: string) =>
  z
    .custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object',
    )
    .meta({ description, type: 'object' });
const list = <Entry extends z.ZodType>(entry: Entry, description: string, most = mostEntries) =>
  z.array(entry).max(most, `must be at most ${most}`).describe(description);
const decimal = (description: string) => z.union([z.string(), z.number()]).describe(description);

const money = (description: string) =>
  z
    .strictObject({
      amount: z.number().optional().describe('In major units: 20 is twenty dollars.'),
      decimal: text('The same as text, exact; up to 12 decimals for a unit.').optional(),
      currency: text('ISO 4217.'),
    })
    .describe(description);

const identity = {
  lookupKey: text(
    'Your own name for it, by which the entry is the same in every file and tenant.',
  ).optional(),
  id: text(
    'The id of a record that has no lookup key; beside a lookup key, the record that receives it.',
  ).optional(),
};

const price = z
  .strictObject({
    ...identity,
    details: money('The amount, as in `CreatePriceInput`.'),
    recurring: z
      .strictObject({
        frequency: z.enum(['Daily', 'Weekly', 'Monthly', 'Yearly']).optional(),
        period: whole('The units between two charges. Default: 1.').optional(),
        executionDate: text('The billing anchor. Default: the start of the subscription.')
          .nullable()
          .optional(),
      })
      .optional()
      .describe('The billing interval. Default: every month.'),
    model: z
      .enum(['flat', 'per_unit', 'package', 'graduated', 'volume', 'percentage'])
      .optional()
      .describe('The price model. Default: `flat`; with a meter `per_unit`.'),
    tiers: list(
      z.strictObject({
        upTo: decimal('The last unit; null for the last tier.').nullable().optional(),
        unitAmount: decimal('The price of a unit.').optional(),
        flatAmount: decimal('The price of the tier.').optional(),
      }),
      'The tiers in ascending order.',
    ).optional(),
    packageSize: whole('The units of a package.').nullable().optional(),
    minQuantity: whole('The minimum quantity.').nullable().optional(),
    maxQuantity: whole('The maximum quantity.').nullable().optional(),
    nickname: text('A name for your own use.').nullable().optional(),
    trialDays: whole('The days before the first charge.').nullable().optional(),
    setupFee: money('A fee that a new subscription pays once.').nullable().optional(),
    taxBehavior: z.enum(['exclusive', 'inclusive']).optional().describe('Default: `exclusive`.'),
    meter: text('The name of the meter that counts the units of a price of usage.').optional(),
    includedUnits: decimal('The units of a period that cost nothing.').nullable().optional(),
    minimumSpend: money('What a period costs at least.').nullable().optional(),
    maximumSpend: money('What a period costs at most.').nullable().optional(),
    rates: list(
      z.strictObject({
        match: data('The properties of the events.'),
        unitAmount: decimal('The price of a unit.'),
      }),
      'The prices of units by their properties.',
    ).optional(),
    percentage: z
      .strictObject({
        percent: decimal('The share of the amounts of events.'),
        fixedPerEvent: decimal('Charged for each event.').nullable().optional(),
        freeEvents: whole('The first events that are free.').nullable().optional(),
        freeAmount: decimal('The first amount that is free.').nullable().optional(),
        minPerEvent: decimal('The least of an event.').nullable().optional(),
        maxPerEvent: decimal('The most of an event.').nullable().optional(),
      })
      .optional()
      .describe('The terms of the model `percentage`.'),
  })
  .describe('A price. Another amount or interval makes a new price, to which the lookup key moves.');

const entitlement = z.strictObject({
  feature: text('The key of the feature.'),
  value: z
    .unknown()
    .describe('True or false, any value of a config, or the units of a limit; null for no end.'),
  soft: flag('Whether use above the limit is allowed.').optional(),
  overageLimit: decimal('By how many units use may exceed a soft limit.').nullable().optional(),
  timesQuantity: flag('Whether the limit counts once for each unit of the quantity.').optional(),
  priority: whole('Decides between values of a config, 0 to 100.').optional(),
});

const product = z.strictObject({
  ...identity,
  name: text('The name, which customers see.'),
  description: text('The description. Default: empty.').optional(),
  active: flag('Whether customers can subscribe to it. Default: true.').optional(),
  group: text('The name of its product group.').nullable().optional(),
  metadata: data('Your own data.').optional(),
  expiresAt: text('When it stops being available.').nullable().optional(),
  taxCode: text('Selects the tax rates with this code.').nullable().optional(),
  kind: z.enum(['electronic_service', 'service', 'service_on_site', 'goods']).nullable().optional(),
  features: list(z.string(), 'What a pricing page lists.').optional(),
  highlighted: flag('Whether a pricing page emphasises it.').optional(),
  sortOrder: whole('Its place, the lowest first.').nullable().optional(),
  prices: list(price, 'Its prices. Without the list they are left alone.', mostPrices).optional(),
  entitlements: list(
    entitlement,
    'The features that are attached to it. Without the list they stay unchanged.',
  ).optional(),
});

const coupon = z.strictObject({
  ...identity,
  name: text('The name.'),
  percentOff: decimal('A percentage.').nullable().optional(),
  amountOff: money('An amount, instead of a percentage.').nullable().optional(),
  duration: z.enum(['once', 'repeating', 'forever']),
  durationInMonths: whole('The months of a repeating discount.').nullable().optional(),
  products: list(
    z.string(),
    'The lookup keys of the products whose lines it reduces. Default: all.',
    mostPrices,
  )
    .nullable()
    .optional(),
  maxRedemptions: whole('How often it may be redeemed.').nullable().optional(),
  redeemBy: text('Until when it can be redeemed.').nullable().optional(),
  active: flag('Whether it can be redeemed. Default: true.').optional(),
  metadata: data('Your own data.').optional(),
});

const portal = z.strictObject({
  ...Object.fromEntries(
    [
      'enabled',
      'signInByCode',
      'planChange',
      'quantityChange',
      'addOns',
      'pause',
      'promotionCodes',
      'cancellationReasons',
      'paymentMethods',
      'invoices',
      'details',
      'balance',
    ].map((name) => [name, z.boolean().optional()]),
  ),
  cancellation: z.enum(['period_end', 'now', 'both', 'off']).optional(),
  retentionCoupon: text('The lookup key of the coupon that is offered before a cancellation.')
    .nullable()
    .optional(),
  products: list(z.string(), 'The lookup keys of the products to which plans may change.')
    .nullable()
    .optional(),
  headline: text('What the portal says first.').nullable().optional(),
  returnUrl: text('Where the portal leads back to.').nullable().optional(),
});

/** A whole file. A section that is absent is left alone; of one that is present, keyed records that are absent are retired. */
export const catalogFile = z.strictObject({
  version: z.literal(1).optional().describe('The version of the format: 1.'),
  groups: list(
    z.strictObject({
      name: text('The name, by which products refer to it; unique in the file.'),
      prorateUpgrades: flag(
        'Whether the rest of a period is credited with a change of plan. Default: false.',
      ).optional(),
      metadata: data('Your own data.').optional(),
    }),
    'Product groups, of which a customer has one product.',
  ).optional(),
  meters: list(
    z.strictObject({
      name: text('The name, by which prices and features refer to it; unique in the file.'),
      event: text('The name of the events.'),
      aggregation: z.enum(['count', 'sum', 'max', 'min', 'latest', 'unique', 'weighted_sum']),
      value: text('The property that is aggregated.').nullable().optional(),
      groupBy: z.array(z.string()).optional(),
      filter: z.array(z.strictObject({ property: z.string(), values: z.array(z.string()) })).optional(),
      persistent: z.boolean().optional(),
      unitMultiplier: decimal('What the total is multiplied by. Default: 1.').optional(),
    }),
    'Meters of usage. Their definitions are fixed.',
  ).optional(),
  features: list(
    z.strictObject({
      key: text('The key, by which applications name it: the lookup key of a feature.'),
      name: text('The name.'),
      kind: z.enum(['boolean', 'config', 'limit']),
      meter: text('The name of the meter that counts the use of a limit.').nullable().optional(),
      creditType: text('The name of the credit type in which a limit is counted.').nullable().optional(),
      alertPercents: z.array(z.number()).nullable().optional(),
      archived: flag('Whether it is archived. Default: false.').optional(),
    }),
    'Features. Kind, meter and credit type are fixed.',
  ).optional(),
  products: list(product, 'Products with their prices and features.', mostProducts).optional(),
  coupons: list(coupon, 'Coupons. Other terms make a new coupon, to which the lookup key moves.').optional(),
  tax: z
    .strictObject({
      vatIdCheck: z.enum(['draft', 'rate', 'accept']).nullable().optional(),
      taxCurrency: text('The currency in which tax is owed.').nullable().optional(),
      rates: list(
        z.strictObject({
          country: text('ISO 3166-1 alpha-2.'),
          region: text('A region.').nullable().optional(),
          postalCode: text('The start of the postcodes.').nullable().optional(),
          taxCode: text('The tax code of the products.').nullable().optional(),
          category: z.enum(['S', 'Z', 'E', 'AE', 'K', 'G', 'O']).optional(),
          percent: decimal('The percentage.'),
          effectiveFrom: text('From when on. Default: when it is created.').optional(),
          name: text('The name.').nullable().optional(),
        }),
        'Your own tax rates. Those that are absent are archived.',
      ).optional(),
    })
    .optional()
    .describe('Settings of tax.'),
  webhooks: list(
    z.strictObject({
      url: text('The address; unique in the file.'),
      description: text('The description.').optional(),
      events: z.array(z.string()).optional().describe('Default: all.'),
      query: text('The query of the payload.').nullable().optional(),
      active: flag('Default: true.').optional(),
    }),
    'Webhook endpoints, without their secrets. Those that are absent are disabled.',
  ).optional(),
  mails: list(
    z.strictObject({
      kind: text('The kind of mail.'),
      language: text('The language.'),
      subject: text('The subject.'),
      body: text('The body. Default: the standard one.').nullable().optional(),
    }),
    'Your own texts of mails. Those that are absent become the standard ones.',
  ).optional(),
  portal: portal.optional().describe('Settings of the portal. Those that are absent are left alone.'),
});

export type CatalogFile = z.output<typeof catalogFile>;
export type PriceEntry = z.output<typeof price>;
export type ProductEntry = z.output<typeof product>;
export type CouponEntry = z.output<typeof coupon>;
export type EntitlementEntry = z.output<typeof entitlement>;

/** Checks the form of a file. Error: `validation_failed`, with the path of each field. */
export function parseCatalogFile(value: unknown): CatalogFile {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse('validation_failed', { path: 'catalog', message: 'must be an object' });
  const file = parseInput(catalogFile, value);
  const issues = [...listUnidentified(file), ...listDuplicates(file)];
  if (issues.length > 0) refuse('validation_failed', ...issues);
  return file;
}

type Named = [path: string, value: string | undefined];

/** Lists what must be unique, by its kind. */
function listNames(file: CatalogFile): Record<string, Named[]> {
  const prices = (file.products ?? []).flatMap((each, n) =>
    (each.prices ?? []).map((own, m) => [`products.${n}.prices.${m}`, own] as const),
  );
  const name = <Entry>(
    entries: Entry[] | undefined,
    path: string,
    read: (entry: Entry) => string | undefined,
  ) => (entries ?? []).map((entry, n): Named => [path.replace('*', String(n)), read(entry)]);
  return {
    group: name(file.groups, 'groups.*.name', (each) => each.name),
    meter: name(file.meters, 'meters.*.name', (each) => each.name),
    feature: name(file.features, 'features.*.key', (each) => each.key),
    product: name(file.products, 'products.*.lookupKey', (each) => each.lookupKey),
    'product id': name(file.products, 'products.*.id', (each) => each.id),
    price: prices.map(([path, each]): Named => [`${path}.lookupKey`, each.lookupKey]),
    'price id': prices.map(([path, each]): Named => [`${path}.id`, each.id]),
    coupon: name(file.coupons, 'coupons.*.lookupKey', (each) => each.lookupKey),
    'coupon id': name(file.coupons, 'coupons.*.id', (each) => each.id),
    webhook: name(file.webhooks, 'webhooks.*.url', (each) => each.url),
    mail: name(file.mails, 'mails.*.language', (each) => `${each.kind} ${each.language}`),
    ...Object.fromEntries(
      (file.products ?? []).map((each, n) => [
        `entitlement ${n}`,
        name(each.entitlements, `products.${n}.entitlements.*.feature`, (own) => own.feature),
      ]),
    ),
  };
}

function listDuplicates(file: CatalogFile): Issue[] {
  return Object.values(listNames(file)).flatMap((named) => {
    const first = new Map<string, string>();
    return named.flatMap(([path, value]) => {
      if (value === undefined) return [];
      const earlier = first.get(value);
      if (earlier === undefined) first.set(value, path);
      return earlier === undefined ? [] : [{ path, message: `is the same as ${earlier}` }];
    });
  });
}

/** An entry needs a lookup key, or the id of what exists. */
function listUnidentified({ products = [], coupons = [] }: CatalogFile): Issue[] {
  const check = (
    { lookupKey, id }: { lookupKey?: string | undefined; id?: string | undefined },
    path: string,
  ) =>
    lookupKey === undefined && id === undefined
      ? [{ path: `${path}.lookupKey`, message: 'must be given, or id for a record that exists' }]
      : [];
  return [
    ...products.flatMap((each, n) => [
      ...check(each, `products.${n}`),
      ...(each.prices ?? []).flatMap((own, m) => check(own, `products.${n}.prices.${m}`)),
    ]),
    ...coupons.flatMap((each, n) => check(each, `coupons.${n}`)),
  ];
}

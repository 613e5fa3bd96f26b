/** The fields of resources that traces compute from columns. */
import { formatDecimal } from '../../lib/decimal.ts';
import { toMajor, toMinor } from '../../lib/money.ts';
import type { Row } from '../../storage/model/rowTypes.ts';

/** Fields of a resource, as the interface shows it. */
export type Shown = Record<string, unknown>;

/** Shows an amount in major units. */
export const money = (amountMinor: bigint, currency: string) => ({
  amount: toMajor(amountMinor, currency),
  currency,
});

/** Shows the interval of a price. */
export const recurring = ({ executionDate, period, frequency }: Row<'prices'> | Row<'intents'>) => ({
  executionDate,
  period,
  frequency,
});

/**
 * Returns the amount of a unit that a price names: of a unit, a package, or a unit of the first tier; null for a flat price and
 * for a percentage.
 */
export function findUnitAmount({ pricing }: Pick<Row<'prices'>, 'pricing'>): string | null {
  if (pricing === null || pricing.model === 'percentage') return null;
  return 'tiers' in pricing ? pricing.tiers[0]!.unitAmount : pricing.unitAmount;
}

/** The amount that a price names: for the cycle, or of a unit. */
export function details(price: Row<'prices'>) {
  const unitAmount = findUnitAmount(price);
  return unitAmount === null
    ? money(price.amountMinor, price.currency)
    : { amount: Number(unitAmount), currency: price.currency };
}

/** The fields of a price that charges a quantity; a flat price has none of them. */
export function priceModel({ pricing, minQuantity, maxQuantity, nickname }: Row<'prices'>): Shown {
  const named = nickname === null ? {} : { nickname };
  return pricing === null ? named : { ...named, ...pricing, minQuantity, maxQuantity };
}

/** Shows the quantity of an agreement and its price model; nothing for a flat price. */
export const agreedModel = ({ pricing, quantity }: Pick<Row<'intents'>, 'pricing' | 'quantity'>): Shown =>
  pricing === null ? {} : { quantity, ...pricing };

/** The fields that are set: a plain price or subscription shows none of the others. */
export const pickSet = (fields: Shown): Shown =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Shows a set-up fee; null for none. */
export const setupFee = ({ setupFeeMinor, currency }: Pick<Row<'prices'>, 'setupFeeMinor' | 'currency'>) =>
  setupFeeMinor === null ? null : money(setupFeeMinor, currency);

/** The tax by category and rate, in major units. */
export const showTaxes = (taxes: Row<'invoices'>['taxes'], currency: string) =>
  taxes?.map(({ taxableMinor, taxMinor, ...terms }) => ({
    ...terms,
    taxable: money(BigInt(taxableMinor), currency),
    tax: money(BigInt(taxMinor), currency),
  })) ?? null;

/** The add-ons, their amounts in major units. */
const showAddOns = ({ addOns, currency }: Pick<Row<'intents'>, 'addOns' | 'currency'>) =>
  addOns?.map(({ amountMinor, setupFeeMinor, ...addOn }) => ({
    ...addOn,
    price: money(BigInt(amountMinor), currency),
    ...(setupFeeMinor !== undefined && { setupFee: money(BigInt(setupFeeMinor), currency) }),
  })) ?? null;

/** An amount in major units, as a trace shows it. */
export interface ShownMoney {
  amount: number;
  currency: string;
}

type AddOn = NonNullable<Row<'intents'>['addOns']>[number];

/** An add-on, as a trace shows it. */
export type ShownAddOn = Omit<AddOn, 'amountMinor' | 'setupFeeMinor'> & {
  price: ShownMoney;
  setupFee?: ShownMoney;
};

const restoreMinor = ({ amount, currency }: ShownMoney, field: string) =>
  String(toMinor(amount, currency, field));

/** Returns the add-ons that a trace shows, as they are stored. */
export const restoreAddOns = (shown: readonly ShownAddOn[]): AddOn[] =>
  shown.map(({ price, setupFee: fee, ...addOn }) => ({
    ...addOn,
    amountMinor: restoreMinor(price, 'price'),
    ...(fee && { setupFeeMinor: restoreMinor(fee, 'setupFee') }),
  }));

type TaxTotal = NonNullable<Row<'invoices'>['taxes']>[number];
type ShownTax = Omit<TaxTotal, 'taxableMinor' | 'taxMinor'> & { taxable: ShownMoney; tax: ShownMoney };

/** Returns the taxes that a trace shows, as they are stored. */
export const restoreTaxes = (shown: readonly ShownTax[]): TaxTotal[] =>
  shown.map(({ taxable, tax, ...terms }) => ({
    ...terms,
    taxableMinor: restoreMinor(taxable, 'taxable'),
    taxMinor: restoreMinor(tax, 'tax'),
  }));

/** Shows the parts of an order that it has. */
export const showOrder = (intent: Row<'intents'>): Shown =>
  pickSet({
    addOns: showAddOns(intent),
    billing: intent.billing,
    trialDays: intent.trialDays,
    setupFee: setupFee(intent),
  });

/** The add-ons and the trial of a subscription; nothing for a plain one. */
export const showItems = (subscription: Row<'subscriptions'>): Shown =>
  subscription.addOns === null && subscription.trialEndsAt === null
    ? {}
    : pickSet({ addOns: showAddOns(subscription), trialEndsAt: subscription.trialEndsAt });

/** The amount of usage that is billed as soon as it is reached, and that which is to be spent; nothing without them. */
export const showUsageTerms = ({
  billingThresholdMinor: thresholdMinor,
  commitment,
  currency,
}: Pick<Row<'subscriptions'>, 'billingThresholdMinor' | 'commitment' | 'currency'>): Shown =>
  pickSet({
    billingThreshold: thresholdMinor === null ? null : money(thresholdMinor, currency),
    commitment: commitment && {
      amount: money(BigInt(commitment.amountMinor), currency),
      period: commitment.periods,
      overageFactor: commitment.overageFactor,
      trueUp: commitment.trueUp,
    },
  });

/** The amounts of usage of which events tell; nothing without them. */
export const showSpendAlerts = ({
  spendAlerts,
  currency,
}: Pick<Row<'subscriptions'>, 'spendAlerts' | 'currency'>): Shown =>
  pickSet({ spendAlerts: spendAlerts && spendAlerts.map((minor) => money(BigInt(minor), currency)) });

/** Returns the amounts that a trace shows, as they are stored. */
export const restoreSpendAlerts = (shown: readonly ShownMoney[]): string[] =>
  shown.map((amount) => restoreMinor(amount, 'spendAlerts'));

type Commitment = NonNullable<Row<'subscriptions'>['commitment']>;

/** A commitment, as a trace shows it. */
export type ShownCommitment = Omit<Commitment, 'amountMinor' | 'periods'> & {
  amount: ShownMoney;
  period: number;
};

/** Returns the commitment that a trace shows, as it is stored. */
export const restoreCommitment = ({ amount, period, ...terms }: ShownCommitment): Commitment => ({
  ...terms,
  amountMinor: restoreMinor(amount, 'commitment'),
  periods: period,
});

/** Shows the amounts of an invoice; what it does not have only if it is set. */
export function showInvoice(invoice: Row<'invoices'>): Shown {
  const { totalMinor, refundedMinor, creditedMinor, withdrawnMinor, currency } = invoice;
  const { documentNumber, documentKind, issuedAt, finalizeAt, taxes } = invoice;
  return {
    total: money(totalMinor, currency),
    refunded: money(refundedMinor, currency),
    ...pickSet({
      documentNumber,
      documentKind,
      issuedAt,
      finalizeAt,
      taxes: showTaxes(taxes, currency),
      credited: creditedMinor === null ? null : money(creditedMinor, currency),
      withdrawn: withdrawnMinor === null ? null : money(withdrawnMinor, currency),
    }),
  };
}

/** Shows the amount of a payment, and the dispute that it is. */
export const showPayment = ({
  amountMinor,
  currency,
  disputeStatus: status,
  disputeReason: reason,
  evidenceDueAt,
}: Row<'payments'>): Shown => ({
  price: money(amountMinor, currency),
  ...(status !== null && { dispute: { status, reason, evidenceDueAt } }),
});

/** Shows an automatic top-up: its amounts of money, or of credits. */
export function showAutoTopUp(rule: Row<'autoTopUps'>): Shown {
  const { thresholdMinor, amountMinor, currency, creditTypeId } = rule;
  if (creditTypeId === null)
    return { threshold: money(thresholdMinor, currency), amount: money(amountMinor, currency) };
  const show = (micro: bigint) => ({
    creditTypeId,
    amount: formatDecimal({ digits: micro, scale: 6 }),
    currency,
  });
  return { threshold: show(thresholdMinor), amount: show(amountMinor) };
}

/** What a product or an override gives of a feature; null values after it was detached. */
export const showEntitlement = (terms: Row<'productEntitlements'>['terms']): Shown => ({
  value: terms?.value ?? null,
  soft: terms?.soft ?? false,
  overageLimit: terms?.overageLimit ?? null,
  timesQuantity: terms?.timesQuantity ?? false,
  priority: terms?.priority ?? 0,
});

/** Shows what an operation would do. */
export const showPreview = ({ version, amounts, changes }: Row<'actionRequests'>['preview']): Shown => ({
  version,
  amounts: amounts.map((each) =>
    'credits' in each ? each : { kind: each.kind, amount: money(BigInt(each.amountMinor), each.currency) },
  ),
  changes,
});

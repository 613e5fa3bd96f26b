import { count, instant, nullable, text } from './columns.ts';

/** Columns and types shared by several tables. */

export type JsonObject = Record<string, unknown>;
/** Metadata whose values are all text. */
export type TextMetadata = Record<string, string>;

/** What a session of a customer may be allowed to do, besides reading. */
export type CustomerAction =
  | 'subscribe'
  | 'change_subscription'
  | 'cancel_subscription'
  | 'apply_discount'
  | 'pay_invoice'
  | 'update_customer'
  | 'manage_payment_methods';

/** A part of the portal that a tenant can switch off, for pages of the tenant too. */
export type PortalPart = 'invoices' | 'paymentMethods' | 'balance';

export const frequencyNames = ['Daily', 'Weekly', 'Monthly', 'Yearly'] as const;
export type Frequency = (typeof frequencyNames)[number];

export const tenantKey = [{ columns: ['tenantAlias' as const], table: 'tenants' }];
export const byTenant = { primary: ['tenantAlias' as const, 'id' as const] };

export const recurring = {
  frequency: text<Frequency>(),
  period: count(),
  executionDate: nullable(instant()),
};
export const timestamps = { createdAt: instant(), updatedAt: instant() };

/** A tier covers the units after the previous tier, up to and including `upTo`; null on the last. Decimals in major units. */
export interface PriceTier {
  upTo: string | null;
  unitAmount: string;
  flatAmount: string;
}

/** The price of a unit of the usage whose properties match: text, or null for events without the property. */
export interface UsageRate {
  match: Record<string, string | null>;
  unitAmount: string;
}

/** A share of the amounts of events, and an amount for each of them. Decimals; amounts in major units. */
export interface PercentageTerms {
  percent: string;
  fixedPerEvent?: string;
  /** The first events of a period that are free, until either limit is reached. */
  freeEvents?: number;
  freeAmount?: string;
  /** The least and the most that an event costs. */
  minPerEvent?: string;
  maxPerEvent?: string;
}

/** What makes a price one of metered usage: the units are what a meter has counted in the period that ended. */
export interface UsageTerms {
  meterId: string;
  /** The units of a period that cost nothing, a decimal. */
  includedUnits?: string;
  /** What a whole period costs at least and at most, in minor units as text. */
  minimumMinor?: string;
  maximumMinor?: string;
  /** The prices of units by their properties, the first that matches; one that matches all of them is last. */
  rates?: UsageRate[];
}

/** An amount that a customer has agreed to spend on usage in a number of billing periods. */
export interface Commitment {
  /** Minor units as text. */
  amountMinor: string;
  periods: number;
  /** How many times units cost above it, a decimal of 1 or more. */
  overageFactor: string;
  /** Whether what is missing at the end is charged. */
  trueUp: boolean;
}

type QuantityPricing =
  /** `unitAmount` for each unit. */
  | { model: 'per_unit'; unitAmount: string }
  /** `unitAmount` for each started package of `packageSize` units. */
  | { model: 'package'; unitAmount: string; packageSize: number }
  /** Graduated: each unit is charged at its own tier. Volume: all units are charged at the tier of the last unit. */
  | { model: 'graduated' | 'volume'; tiers: PriceTier[] };

/** The pricing of metered usage. */
export type UsagePricing = (QuantityPricing | { model: 'percentage'; percentage: PercentageTerms }) & {
  usage: UsageTerms;
};

/** The pricing of a quantity. Amounts are decimals in major units and may be finer than the currency. */
export type Pricing = (QuantityPricing & { usage?: undefined }) | UsagePricing;

/**
 * An add-on of a subscription: a price with a quantity that is billed with the main price, in the same currency and
 * interval. `amountMinor` is the amount of a whole cycle for the whole quantity, in minor units as text.
 */
export interface AddOn {
  productId: string;
  priceId: string;
  productName: string;
  quantity: number;
  /** Null for a flat price. */
  pricing: Pricing | null;
  amountMinor: string;
  /** Absent if tax is charged on top of the price. */
  taxBehavior?: 'inclusive';
  /** When it was added, an instant. */
  addedAt: string;
  /** The set-up fee that an invoice has still to charge, in minor units as text; absent for none. */
  setupFeeMinor?: string;
}

/** A discount as it is deducted from the lines of a bill. */
export interface DiscountTerms {
  discountId: string;
  couponId: string;
  /** Either a percentage as a decimal, above 0 and at most 100, or an amount in minor units as text. */
  percentOff?: string;
  amountOffMinor?: string;
  /** The products whose lines it reduces; absent for all. */
  productIds?: string[];
}

/** The part of a line's amount that a discount or a credit grant took off, in minor units as text. */
export interface LineDiscount {
  /** Empty for a credit grant. */
  discountId: string;
  creditId?: string;
  amountMinor: string;
  /** Of a grant in units of a credit type: the units of usage that it covers, a decimal. */
  units?: string;
  /** What the grant gives for them, in millionths of a credit as text. */
  credits?: string;
}

/** When and how a change of a subscription is billed. */
export type ChangeBilling = 'charge_now' | 'next_invoice' | 'period_end' | 'reset' | 'none';

/** How a change is billed: in one of those ways, or as `restart`, the whole new price now without a credit. */
export type AppliedBilling = ChangeBilling | 'restart';

/** How changes are billed unless the request says otherwise. */
export interface ChangePolicy {
  increase: ChangeBilling;
  decrease: ChangeBilling;
  /** Null for the setting of the group. */
  planUpgrade: ChangeBilling | null;
  planDowngrade: ChangeBilling;
}

/** A postal address. `country` is an ISO 3166-1 alpha-2 code in upper case. */
export interface Address {
  line1: string | null;
  line2: string | null;
  city: string | null;
  postalCode: string | null;
  /** A state or province. */
  region: string | null;
  country: string;
}

/** What VIES answered about a VAT id. */
export interface VatIdCheck {
  /** The id that was checked; the check of another id does not count. */
  value: string;
  status: 'valid' | 'invalid' | 'unavailable';
  checkedAt: string;
  /** The consultation number that VIES gives as evidence, if any. */
  consultation: string | null;
}

/** How the pages and mails for a tenant's customers look. The logo is that of the seller. */
export interface Branding {
  /** Null for the tenant's name. */
  displayName: string | null;
  /** A colour as `#rrggbb`; null for the standard one. */
  color: string | null;
  /** The id of the icon among the logos. */
  faviconId: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
  supportUrl: string | null;
  supportEmail: string | null;
}

/** Which parts of the portal a tenant's customers have. */
export interface PortalSettings {
  enabled: boolean;
  /** Whether customers sign in by a code sent to their address, besides links made by the tenant. */
  signInByCode: boolean;
  planChange: boolean;
  quantityChange: boolean;
  addOns: boolean;
  pause: boolean;
  promotionCodes: boolean;
  cancellation: 'period_end' | 'now' | 'both' | 'off';
  /** Whether cancelling asks for the reason. */
  cancellationReasons: boolean;
  /** The coupon that is offered to a customer who is about to cancel. */
  retentionCouponId: string | null;
  paymentMethods: boolean;
  invoices: boolean;
  details: boolean;
  balance: boolean;
  /** The products to which plans may change; null for those of the same group. */
  productIds: string[] | null;
  headline: string | null;
  returnUrl: string | null;
}

/** The page that a portal link opens. */
export interface PortalFlow {
  type: 'overview' | 'cancel' | 'change_plan' | 'payment_method' | 'invoices' | 'details';
  subscriptionId: string | null;
}

/** What happens to a subscription whose charge failed. The days of the retries are `retryDays`. */
export interface DunningPolicy {
  /** What happens after the last retry. */
  finalAction: 'cancel' | 'pause' | 'leave';
  /** Days from the first failure for which the customer keeps access; null until the final action. */
  accessGraceDays: number | null;
  /** The days after the first failure on which the payer is written to, besides the day itself. */
  mailDays: number[];
}

/** The mails of a tenant. */
export interface MailSettings {
  /** Whether the tenant has its own mail server. */
  ownServer: boolean;
  /** The name in `From`; null for that of the branding. */
  fromName: string | null;
  replyTo: string | null;
  /** Receives all mails of a test tenant, in place of its customers; null: none is sent. */
  testRecipient: string | null;
  /** The kinds of mail that are switched off. */
  disabledKinds: string[];
  /** The kinds that are switched on, of those that are off by default. */
  enabledKinds: string[];
  /** Days before the renewal of yearly plans on which it is announced. */
  renewalNoticeDays: number;
}

/** A tax id in the form in which it is printed, without spaces. */
export interface TaxId {
  type: 'eu_vat' | 'gb_vat' | 'ch_vat' | 'no_vat' | 'us_ein' | 'other';
  value: string;
}

/** How the documents of one kind are numbered. */
export interface NumberSeries {
  prefix: string;
  /** Text with `{prefix}`, `{yyyy}`, `{yy}`, `{mm}` and `{seq:n}`, the count with at least n digits. */
  pattern: string;
  reset: 'yearly' | 'never';
}

/** VAT categories of EN 16931 (UNTDID 5305): standard, zero, exempt, reverse charge, intra-community, export, outside. */
export type TaxCategory = 'S' | 'Z' | 'E' | 'AE' | 'K' | 'G' | 'O';

/** Why no tax is charged. */
export type TaxReason =
  | 'reverse_charge'
  | 'intra_community'
  | 'export'
  | 'exempt_customer'
  | 'exempt_seller'
  | 'exempt'
  | 'outside_scope'
  | 'zero_rated';

/** What a product is, by which the place of its sale is found; null on the record for an electronic service. */
export type ProductKind = 'electronic_service' | 'service' | 'service_on_site' | 'goods';

/** The tax of a line before its amount is known. `percent` is a decimal. */
export interface TaxTerms {
  category: TaxCategory;
  percent: string;
  reason?: TaxReason;
  /** The country whose tax it is, where that is not the country of the customer. */
  country?: string;
  /** Whether it is taxed at the seller because the sales to other member states are below the threshold. */
  belowThreshold?: true;
}

/** The tax terms of a line itself. A credit has its tax too, because it gives back no more than its line has left. */
export interface OwnTaxTerms extends TaxTerms {
  /** In minor units as text. */
  taxMinor?: string;
}

/**
 * The tax on a line. `amountMinor` of the line contains it if `included`; otherwise it is charged on top. In minor units
 * as text.
 */
export interface LineTax extends TaxTerms {
  included?: true;
  /** Whether the terms are those of the line itself, and not of its product or place. */
  own?: true;
  taxMinor: string;
}

/** The tax of an invoice by category and rate, in minor units as text. */
export interface TaxTotal extends TaxTerms {
  taxableMinor: string;
  taxMinor: string;
}

/** Tax terms by product, and by kind of charges without one, where they differ from the terms of all others. */
interface ProductTerms {
  terms: TaxTerms;
  byProduct?: Record<string, TaxTerms>;
  byKind?: Partial<Record<ProductKind, TaxTerms>>;
}

/** The tax terms of a bill. */
export interface BillTax extends ProductTerms {
  /** Those of a bill that sells more than is left of the threshold, in cents; `rate` is what a euro is worth in its currency. */
  beyond?: ProductTerms & { roomMinor: string; rate?: string };
}

/** A line of a credit note: the part of an invoice line that it credits, tax included, in minor units as text. */
export interface CreditNoteLine extends Partial<TaxTerms> {
  lineId: string;
  description: string;
  netMinor: string;
  taxMinor: string;
}

/** A bank account as shown to payers. */
export interface BankAccount {
  accountHolder: string;
  iban?: string | null;
  /** For accounts without an IBAN. */
  accountNumber?: string | null;
  bic?: string | null;
  bankName?: string | null;
  /** Further instructions for the payer. */
  instructions?: string | null;
}

/** Where a dispute is. An inquiry has not moved money; `won` and `inquiry_closed` give it back. */
export type DisputeStatus = 'inquiry' | 'inquiry_closed' | 'needs_response' | 'under_review' | 'won' | 'lost';

/** A view of a list of the console that an operator has saved: its filters, its order and its columns. */
export interface SavedView {
  list: string;
  name: string;
  /** The query part of its address. */
  query: string;
}

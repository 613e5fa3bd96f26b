/** What mails can say. */
import type { DeclineCode } from '../../lib/declineCodes.ts';
import { quotedTexts, type CustomerRow } from '../../billing/customers/customers.ts';
import type { Frequency } from '../../storage/model/common.ts';
import type { MailKind } from '../../storage/model/mails.ts';
import { getMailKind, type MailText } from './events.ts';

type QuotedText = keyof typeof quotedTexts;

/** An amount of credit: minor units, or millionths of a credit of a type, which has a name. */
export interface CreditAmount {
  amountMinor: bigint;
  currency: string;
  typeName: string | null;
}

/** The facts of a mail, as recorded; facts that a kind does not have are absent. */
export interface MailFacts {
  customer: Pick<CustomerRow, 'firstName' | 'lastName'> & Partial<Pick<CustomerRow, QuotedText | 'locale'>>;
  merchant: string;
  invoice?: {
    number: string | null;
    totalMinor: bigint;
    currency: string;
    issuedAt: string;
    dueAt: string | null;
  };
  subscription?: {
    product: string;
    /** Of a whole cycle; null if it is not known. */
    price: { amountMinor: bigint; currency: string } | null;
    frequency: Frequency;
    period: number;
    renewsAt: string | null;
    endsAt: string | null;
    startsAt: string;
    trialEndsAt: string | null;
    changesAt: string | null;
    pausedAt: string | null;
    resumesAt: string | null;
  };
  refund?: { amountMinor: bigint; currency: string };
  creditNote?: {
    number: string;
    totalMinor: bigint;
    currency: string;
    issuedAt: string;
    reason: string | null;
  };
  payment?: { declineCode: DeclineCode | null; nextAttemptAt: string | null };
  /** The use of a limit; `resetsAt` is null if it is counted without end. */
  usage?: { feature: string; percent: number; used: string; limit: string; resetsAt: string | null };
  /** What usage has cost in a period, and the amount that it has reached. */
  spend?: { amountMinor: bigint; spentMinor: bigint; currency: string; resetsAt: string };
  credit?: { name: string | null; amount: CreditAmount; left: CreditAmount; expiresAt: string | null };
  method?: { type: string | null; brand: string | null; last4: string | null; expiresAt: string | null };
  bank?: {
    accountHolder: string;
    iban: string | null;
    accountNumber: string | null;
    bic: string | null;
    bankName: string | null;
    reference: string;
  };
  code?: { code: string; expiresAt: string };
}

const quotedNames = Object.keys(quotedTexts) as QuotedText[];

const nameFact = (name: QuotedText) => `customer.${name}` as const;

const quotedFacts = quotedNames.map(nameFact);

/** Returns the texts of a customer that mails may quote. */
export const pickQuoted = (customer: CustomerRow): MailFacts['customer'] =>
  Object.fromEntries([...quotedNames, 'locale' as const].map((name) => [name, customer[name]])) as Pick<
    CustomerRow,
    QuotedText | 'locale'
  >;

/** Returns the facts of the texts that mails may quote of a customer. */
export const listQuotedFacts = (customer: MailFacts['customer']) =>
  Object.fromEntries(quotedNames.map((name) => [nameFact(name), customer[name]])) as Record<
    (typeof quotedFacts)[number],
    string | null | undefined
  >;

/** The names of facts, which are also the placeholders of templates. */
export const factNames = [
  'customer.name',
  ...quotedFacts,
  'merchant.name',
  'invoice.number',
  'invoice.total',
  'invoice.date',
  'invoice.dueDate',
  'payment.reason',
  'payment.nextAttempt',
  'paymentMethod.name',
  'paymentMethod.expiry',
  'subscription.product',
  'subscription.price',
  'subscription.startDate',
  'subscription.renewalDate',
  'subscription.endDate',
  'subscription.changeDate',
  'subscription.pauseDate',
  'subscription.resumeDate',
  'trial.endDate',
  'refund.amount',
  'creditNote.number',
  'creditNote.total',
  'creditNote.date',
  'creditNote.reason',
  'usage.feature',
  'usage.percent',
  'usage.used',
  'usage.limit',
  'usage.resetDate',
  'spend.amount',
  'spend.spent',
  'credit.name',
  'credit.amount',
  'credit.left',
  'credit.expiry',
  'bank.accountHolder',
  'bank.iban',
  'bank.accountNumber',
  'bank.bic',
  'bank.name',
  'bank.reference',
  'code',
] as const;

export type FactName = (typeof factNames)[number];

const common: FactName[] = ['customer.name', ...quotedFacts, 'merchant.name'];
const bank: FactName[] = [
  'bank.accountHolder',
  'bank.iban',
  'bank.accountNumber',
  'bank.bic',
  'bank.name',
  'bank.reference',
];
const owed: FactName[] = ['invoice.number', 'invoice.total', 'invoice.dueDate', ...bank];

/** The facts that each mail lists below its text, in order. */
export const listedFacts: Record<MailText, FactName[]> = {
  receipt: ['invoice.number', 'invoice.date', 'subscription.product', 'paymentMethod.name', 'invoice.total'],
  invoice_issued: owed,
  invoice_overdue: owed,
  invoice_sent: ['subscription.product', 'invoice.number', 'invoice.total'],
  payment_failed: [
    'subscription.product',
    'invoice.number',
    'invoice.total',
    'payment.reason',
    'payment.nextAttempt',
  ],
  payment_method_expiring: ['paymentMethod.name', 'paymentMethod.expiry'],
  trial_ending: ['subscription.product', 'subscription.price', 'trial.endDate', 'invoice.total'],
  renewal_upcoming: [
    'subscription.product',
    'subscription.price',
    'subscription.renewalDate',
    'invoice.total',
  ],
  plan_changed: ['subscription.product', 'subscription.price', 'subscription.renewalDate'],
  plan_change_scheduled: ['subscription.product', 'subscription.price', 'subscription.changeDate'],
  cancelled: ['subscription.product', 'subscription.endDate'],
  cancellation_scheduled: ['subscription.product', 'subscription.endDate'],
  email_changed: [],
  refund: ['creditNote.number', 'invoice.number', 'creditNote.reason', 'paymentMethod.name', 'refund.amount'],
  credit_note: [
    'creditNote.number',
    'creditNote.date',
    'invoice.number',
    'creditNote.reason',
    'creditNote.total',
  ],
  subscription_started: [
    'subscription.product',
    'subscription.price',
    'subscription.startDate',
    'trial.endDate',
    'subscription.renewalDate',
  ],
  subscription_paused: ['subscription.product', 'subscription.pauseDate', 'subscription.resumeDate'],
  subscription_resumed: ['subscription.product', 'subscription.price', 'subscription.renewalDate'],
  usage_alert: ['usage.feature', 'usage.percent', 'usage.used', 'usage.limit', 'usage.resetDate'],
  spend_alert: ['subscription.product', 'spend.amount', 'spend.spent', 'usage.resetDate'],
  credit_alert: ['credit.name', 'credit.amount', 'credit.left', 'credit.expiry'],
  portal_code: [],
  test: [],
};

/** Returns the placeholders that the text of a kind may contain. */
export const listPlaceholders = (kind: MailKind): FactName[] => [
  ...new Set([
    ...common,
    ...mailTextNames.filter((text) => getMailKind(text) === kind).flatMap((text) => listedFacts[text]),
    ...(kind === 'portal_code' ? (['code'] as const) : []),
  ]),
];

const mailTextNames = Object.keys(listedFacts) as MailText[];

export type WrittenFacts = Partial<Record<FactName, string>>;

/** Why a charge failed, as mails say it. */
export type DeclineReason =
  | 'insufficient_funds'
  | 'expired'
  | 'confirmation'
  | 'limit'
  | 'details'
  | 'account'
  | 'mandate'
  | 'error'
  | 'method'
  | 'declined';

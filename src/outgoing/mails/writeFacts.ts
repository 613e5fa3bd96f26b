/** How a language writes the facts of a mail. */
import { cleanLine } from '../../documents/cleanText.ts';
import type { DeclineCode } from '../../lib/declineCodes.ts';
import { nameBrand } from '../../lib/cardBrands.ts';
import { createFormats, type Language } from '../../lib/language.ts';
import { choosePlural, fillText } from '../../lib/texts.ts';
import { formatCredits } from '../../billing/pricing/creditUnits.ts';
import {
  listQuotedFacts,
  type CreditAmount,
  type DeclineReason,
  type FactName,
  type MailFacts,
  type WrittenFacts,
} from './facts.ts';
import { mailTexts } from './texts.ts';

/** Writes the facts in a language, with dates in the time zone of the tenant. Facts that are absent have no entry. */
export function writeFacts(facts: MailFacts, language: Language, timeZone: string): WrittenFacts {
  const { customer, merchant, invoice, subscription, payment, method, bank: account, code } = facts;
  const formats = createFormats(language, timeZone, customer.locale);
  const texts = mailTexts[language];
  const { refund, creditNote, usage, spend, credit } = facts;
  const money = (amount: { amountMinor: bigint; currency: string } | null | undefined) =>
    amount && formats.money(amount.amountMinor, amount.currency);
  const creditAmount = (amount: CreditAmount | undefined) =>
    amount &&
    (amount.typeName === null
      ? formats.money(amount.amountMinor, amount.currency)
      : `${formats.number(formatCredits(amount.amountMinor))} ${amount.typeName}`);
  const day = (instant: string | null | undefined) => instant && formats.day(instant);
  const price = money(subscription?.price);
  const written: Record<FactName, string | null | undefined> = {
    'customer.name': `${customer.firstName} ${customer.lastName}`.trim(),
    ...listQuotedFacts(customer),
    'merchant.name': merchant,
    'invoice.number': invoice?.number,
    'invoice.total': invoice && formats.money(invoice.totalMinor, invoice.currency),
    'invoice.date': day(invoice?.issuedAt),
    'invoice.dueDate': day(invoice?.dueAt),
    'payment.reason': payment && texts.reasons[reasons[payment.declineCode ?? 'declined']],
    'payment.nextAttempt': day(payment?.nextAttemptAt),
    'paymentMethod.name': method && nameMethod(method, texts.methods),
    // The last month in which a card can be charged.
    'paymentMethod.expiry': method?.expiresAt && writeMonth(method.expiresAt),
    'subscription.product': subscription?.product,
    'subscription.price':
      price &&
      subscription &&
      fillText(choosePlural(language, texts.every[subscription.frequency], subscription.period), {
        price,
        count: formats.number(subscription.period),
      }),
    'subscription.startDate': day(subscription?.startsAt),
    'subscription.renewalDate': day(subscription?.renewsAt),
    'subscription.endDate': day(subscription?.endsAt),
    'subscription.changeDate': day(subscription?.changesAt),
    'subscription.pauseDate': day(subscription?.pausedAt),
    'subscription.resumeDate': day(subscription?.resumesAt),
    'trial.endDate': day(subscription?.trialEndsAt),
    'refund.amount': money(refund),
    'creditNote.number': creditNote?.number,
    'creditNote.total': creditNote && formats.money(creditNote.totalMinor, creditNote.currency),
    'creditNote.date': day(creditNote?.issuedAt),
    'creditNote.reason': creditNote?.reason,
    'usage.feature': usage?.feature,
    'usage.percent': usage && formats.percent(String(usage.percent)),
    'usage.used': usage && formats.number(usage.used),
    'usage.limit': usage && formats.number(usage.limit),
    'usage.resetDate': day(usage?.resetsAt ?? spend?.resetsAt),
    'spend.amount': spend && formats.money(spend.amountMinor, spend.currency),
    'spend.spent': spend && formats.money(spend.spentMinor, spend.currency),
    'credit.name': credit?.name,
    'credit.amount': creditAmount(credit?.amount),
    'credit.left': creditAmount(credit?.left),
    'credit.expiry': day(credit?.expiresAt),
    'bank.accountHolder': account?.accountHolder,
    'bank.iban': account?.iban && account.iban.replace(/(.{4})(?=.)/g, '$1\u00A0'),
    'bank.accountNumber': account?.accountNumber,
    'bank.bic': account?.bic,
    'bank.name': account?.bankName,
    'bank.reference': account?.reference,
    code: code?.code,
  };
  const clean = Object.entries(written).flatMap(([name, text]) => (text ? [[name, cleanLine(text)]] : []));
  return Object.fromEntries(clean) as WrittenFacts;
}

/** What mails say of each decline: less than its code, as others may read a mail. */
const reasons: Record<DeclineCode, DeclineReason> = {
  insufficient_funds: 'insufficient_funds',
  limit_exceeded: 'limit',
  expired_card: 'expired',
  incorrect_number: 'details',
  incorrect_cvc: 'details',
  incorrect_details: 'details',
  authentication_required: 'confirmation',
  method_not_supported: 'declined',
  card_declined: 'declined',
  do_not_honor: 'declined',
  lost_or_stolen: 'declined',
  fraud_suspected: 'declined',
  account_closed: 'account',
  mandate_revoked: 'mandate',
  processing_error: 'error',
  abandoned: 'confirmation',
  no_payment_method: 'method',
  declined: 'declined',
};

function nameMethod(
  { type, brand, last4 }: NonNullable<MailFacts['method']>,
  names: { card: string; sepa_debit: string; other: string },
): string {
  const kind = type === 'card' || type === 'sepa_debit' ? names[type] : names.other;
  const name = brand ? nameBrand(brand) : kind;
  return last4 ? `${name} ••••\u00A0${last4}` : name;
}

/** Writes the month before an instant as cards print it: 03/27. */
function writeMonth(instant: string): string {
  const last = new Date(Date.parse(instant) - 1);
  return `${String(last.getUTCMonth() + 1).padStart(2, '0')}/${String(last.getUTCFullYear()).slice(2)}`;
}

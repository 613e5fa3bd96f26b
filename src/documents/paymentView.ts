import type { BankAccount } from '../storage/model/common.ts';
import { cleanLine, cleanText } from './cleanText.ts';
import { encodeEpcCode } from './epcCode.ts';
import type { QrCode } from './qrCode.ts';
import { encodeSwissQrCode, isSwissIban } from './swissQrCode.ts';
import type { DocumentRecord } from './record.ts';
import type { DocumentLanguage } from './language.ts';

/** How a document is paid. */
export interface PaymentView {
  title: string;
  sentence: string;
  /** The account and the reference of a transfer. */
  facts: { label: string; value: string }[];
  instructions: string | null;
  code: { image: QrCode; isSwiss: boolean; caption: string; description: string } | null;
}

/** Builds the section about the payment. */
export function viewPayment(record: DocumentRecord, { texts }: DocumentLanguage): PaymentView {
  const { payment, totals } = record;
  const payable = BigInt(totals.payableMinor);
  const isToPay = payment.kind === 'charged' || payment.kind === 'transfer';
  const kind = isToPay && payable === 0n ? 'paid' : payment.kind;
  const view = { title: texts.payment, facts: [], instructions: null, code: null };
  if (kind === 'credited' && payable === 0n) return { ...view, sentence: texts.creditToBalance };
  if (kind !== 'transfer') return { ...view, sentence: texts.paymentSentences[kind] };
  const { bankAccount: account, reference } = payment;
  return {
    ...view,
    sentence: texts.paymentSentences.transfer,
    facts: listFacts(account, reference, texts),
    instructions: account?.instructions ? cleanText(account.instructions) : null,
    code: buildCode(record, account, texts),
  };
}

/** Formats text in groups of four, as IBANs and creditor references are printed. */
const groupByFour = (text: string) => text.replace(/\s/g, '').replace(/(.{4})(?=.)/g, '$1 ');

function listFacts(
  account: BankAccount | null,
  reference: string | null,
  texts: DocumentLanguage['texts'],
): PaymentView['facts'] {
  const facts: [label: string, value: string | null | undefined][] = [
    [texts.accountHolder, account?.accountHolder],
    [texts.iban, account?.iban && groupByFour(account.iban)],
    [texts.accountNumber, account?.accountNumber],
    [texts.bic, account?.bic],
    [texts.bank, account?.bankName],
    [texts.reference, reference && groupByFour(reference)],
  ];
  return facts.flatMap(([label, value]) => (value ? [{ label, value: cleanLine(value) }] : []));
}

function buildCode(
  record: DocumentRecord,
  account: BankAccount | null,
  texts: DocumentLanguage['texts'],
): PaymentView['code'] {
  if (!account?.iban) return null;
  const isSwiss = isSwissIban(account.iban);
  const transfer = { ...account, iban: account.iban };
  const image = isSwiss ? encodeSwiss(record, transfer) : encodeSepa(record, transfer);
  return image ? { image, isSwiss, caption: texts.qrCaption, description: texts.qrDescription } : null;
}

type Transfer = BankAccount & { iban: string };

const encodeSepa = ({ currency, totals, payment }: DocumentRecord, account: Transfer): QrCode | undefined =>
  currency === 'eur'
    ? encodeEpcCode({
        accountHolder: cleanLine(account.accountHolder),
        iban: account.iban,
        bic: account.bic ?? null,
        amountMinor: BigInt(totals.payableMinor),
        reference: payment.reference,
      })
    : undefined;

const encodeSwiss = (record: DocumentRecord, account: Transfer): QrCode | undefined =>
  encodeSwissQrCode({
    iban: account.iban,
    creditor: { name: cleanLine(account.accountHolder), address: record.seller.address },
    debtor: { name: cleanLine(record.buyer.companyName ?? record.buyer.name), address: record.buyer.address },
    amountMinor: BigInt(record.totals.payableMinor),
    currency: record.currency,
    reference: record.payment.reference,
    message: cleanLine(record.number),
  });

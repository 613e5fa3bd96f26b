import type { BankAccount } from '../storage/model/common.ts';
import { cleanLine, cleanText } from './cleanText.ts';
import { encodeEpcCode } from './epcCode.ts';
import type { QrCode } from './qrCode.ts';
import { groupByFour, viewSwissBill, type SwissBill } from './swissBill.ts';
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
  code: PaymentCode | null;
}

interface PaymentCode {
  image: QrCode;
  /** The QR-bill of a Swiss code; absent for that of a SEPA transfer. */
  swissBill?: SwissBill;
  caption: string;
  description: string;
}

/** Builds the section about the payment. */
export function viewPayment(record: DocumentRecord, { texts, tag }: DocumentLanguage): PaymentView {
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
    code: buildCode(record, account, texts, tag),
  };
}

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
  tag: string,
): PaymentCode | null {
  if (!account?.iban) return null;
  const transfer = { ...account, iban: account.iban };
  const code = isSwissIban(account.iban) ? encodeSwiss(record, transfer, tag) : encodeSepa(record, transfer);
  return code ? { ...code, caption: texts.qrCaption, description: texts.qrDescription } : null;
}

type Transfer = BankAccount & { iban: string };
type Encoded = Pick<PaymentCode, 'image' | 'swissBill'>;

function encodeSepa({ currency, totals, payment }: DocumentRecord, account: Transfer): Encoded | undefined {
  if (currency !== 'eur') return undefined;
  const image = encodeEpcCode({
    accountHolder: cleanLine(account.accountHolder),
    iban: account.iban,
    bic: account.bic ?? null,
    amountMinor: BigInt(totals.payableMinor),
    reference: payment.reference,
  });
  return image && { image };
}

function encodeSwiss(record: DocumentRecord, account: Transfer, tag: string): Encoded | undefined {
  const transfer = {
    iban: account.iban,
    creditor: { name: cleanLine(account.accountHolder), address: record.seller.address },
    debtor: { name: cleanLine(record.buyer.companyName ?? record.buyer.name), address: record.buyer.address },
    amountMinor: BigInt(record.totals.payableMinor),
    currency: record.currency,
    reference: record.payment.reference,
    message: cleanLine(record.number),
  };
  const image = encodeSwissQrCode(transfer);
  return image && { image, swissBill: viewSwissBill(transfer, image, tag) };
}

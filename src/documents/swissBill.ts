/** What the receipt and the payment part of a Swiss QR-bill say: SIX, "Style Guide QR-bill" and the guidelines' annex D. */
import { formatAddressLines, type SwissTransfer } from './swissQrCode.ts';
import type { QrCode } from './qrCode.ts';

/** The words of the QR-bill, which are fixed in each language. */
const english = {
  paymentPart: 'Payment part',
  receipt: 'Receipt',
  account: 'Account / Payable to',
  reference: 'Reference',
  message: 'Additional information',
  currency: 'Currency',
  amount: 'Amount',
  debtor: 'Payable by',
  emptyDebtor: 'Payable by (name/address)',
  acceptancePoint: 'Acceptance point',
  separate: 'Separate before paying in',
};

type SwissBillTexts = typeof english;

const texts: Record<'en' | 'de' | 'fr' | 'it', SwissBillTexts> = {
  en: english,
  de: {
    paymentPart: 'Zahlteil',
    receipt: 'Empfangsschein',
    account: 'Konto / Zahlbar an',
    reference: 'Referenz',
    message: 'Zusätzliche Informationen',
    currency: 'Währung',
    amount: 'Betrag',
    debtor: 'Zahlbar durch',
    emptyDebtor: 'Zahlbar durch (Name/Adresse)',
    acceptancePoint: 'Annahmestelle',
    separate: 'Vor der Einzahlung abzutrennen',
  },
  fr: {
    paymentPart: 'Section paiement',
    receipt: 'Récépissé',
    account: 'Compte / Payable à',
    reference: 'Référence',
    message: 'Informations supplémentaires',
    currency: 'Monnaie',
    amount: 'Montant',
    debtor: 'Payable par',
    emptyDebtor: 'Payable par (nom/adresse)',
    acceptancePoint: 'Point de dépôt',
    separate: 'A détacher avant le versement',
  },
  it: {
    paymentPart: 'Sezione pagamento',
    receipt: 'Ricevuta',
    account: 'Conto / Pagabile a',
    reference: 'Riferimento',
    message: 'Informazioni supplementari',
    currency: 'Valuta',
    amount: 'Importo',
    debtor: 'Pagabile da',
    emptyDebtor: 'Pagabile da (nome/indirizzo)',
    acceptancePoint: 'Punto di accettazione',
    separate: 'Da staccare prima del versamento',
  },
};

/** The QR-bill in words; what the code has, in the form in which it is printed. */
export interface SwissBill {
  texts: SwissBillTexts;
  code: QrCode;
  /** The account, and the name and the address of its holder. */
  account: string[];
  reference: string | null;
  message: string;
  currency: string;
  amount: string;
  /** Null for a field in which the payer writes. */
  debtor: string[] | null;
}

/** Builds the QR-bill of a transfer that has a code: in the document's language if Swiss banks print it, else in English. */
export function viewSwissBill(transfer: SwissTransfer, code: QrCode, language: string): SwissBill {
  const { amountMinor, currency, reference, message, creditor, debtor } = transfer;
  const cents = String(amountMinor).padStart(3, '0');
  const whole = cents.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ' ');
  return {
    texts: texts[language as keyof typeof texts] ?? english,
    code,
    account: [groupByFour(transfer.iban.toUpperCase()), ...formatAddressLines(creditor)!],
    reference: reference && groupByFour(reference),
    message,
    currency: currency.toUpperCase(),
    amount: `${whole}.${cents.slice(-2)}`,
    debtor: formatAddressLines(debtor) ?? null,
  };
}

/** Formats text in groups of four, as IBANs and creditor references are printed. */
export const groupByFour = (text: string): string => text.replace(/\s/g, '').replace(/(.{4})(?=.)/g, '$1 ');

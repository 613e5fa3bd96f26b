/** The QR code of a SEPA transfer: EPC069-12, "Quick Response Code: Guidelines to Enable Data Capture". */
import { drawModules, encodeModules, type QrCode } from './qrCode.ts';

interface SepaTransfer {
  accountHolder: string;
  iban: string;
  bic: string | null;
  amountMinor: bigint;
  /** A creditor reference (ISO 11649), or other text. */
  reference: string | null;
}

const largestAmountMinor = 99_999_999_999n;

/** Returns the code of a transfer, with a quiet zone of four modules; undefined if the standard does not allow it. */
export function encodeEpcCode({
  accountHolder,
  iban,
  bic,
  amountMinor,
  reference,
}: SepaTransfer): QrCode | undefined {
  if (amountMinor < 1n || amountMinor > largestAmountMinor) return undefined;
  const cents = String(amountMinor).padStart(3, '0');
  const isStructured = reference !== null && /^RF\d{2}[A-Z0-9]{1,21}$/i.test(reference);
  const text = [
    'BCD',
    '002',
    // UTF-8.
    '1',
    'SCT',
    bic?.replace(/\s/g, '') ?? '',
    Array.from(accountHolder).slice(0, 70).join(''),
    iban.replace(/\s/g, ''),
    `EUR${cents.slice(0, -2)}.${cents.slice(-2)}`,
    '',
    isStructured ? reference : '',
    isStructured ? '' : (reference ?? '').slice(0, 140),
  ].join('\n');
  // At most version 13, which holds 331 bytes.
  const modules = encodeModules(text, 13, 331);
  return modules && drawModules(modules, 4);
}

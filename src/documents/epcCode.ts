/** The QR code of a SEPA transfer: EPC069-12, "Quick Response Code: Guidelines to Enable Data Capture". */
import { encode } from 'uqr';

interface SepaTransfer {
  accountHolder: string;
  iban: string;
  bic: string | null;
  amountMinor: bigint;
  /** A creditor reference (ISO 11649), or other text. */
  reference: string | null;
}

const largestAmountMinor = 99_999_999_999n;

/** A square of dark modules as an SVG path; a module measures 1 × 1. */
export interface QrCode {
  size: number;
  path: string;
}

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
  const bytes = [...Buffer.from(text, 'utf8')];
  // Level M and at most version 13, which holds 331 bytes.
  if (bytes.length > 331) return undefined;
  const { data: modules, size } = encode(bytes, { ecc: 'M', border: 4, maxVersion: 13 });
  return { size, path: modules.flatMap(drawRow).join('') };
}

/** Draws each sequence of dark modules of a row as a rectangle. */
function drawRow(row: boolean[], y: number): string[] {
  const text = row.map((isDark) => (isDark ? '1' : '0')).join('');
  return [...text.matchAll(/1+/g)].map(
    ({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`,
  );
}

/**
 * The Swiss QR Code of a transfer: SIX, "Swiss Implementation Guidelines for the QR-bill", version 2.3. Its fields are those
 * of an ISO 20022 payment, with structured addresses.
 */
import type { Address } from '../storage/model/common.ts';
import { drawModules, encodeModules, type QrCode } from './qrCode.ts';

interface Party {
  name: string;
  address: Address | null;
}

export interface SwissTransfer {
  iban: string;
  /** The holder of the account, with the address of the seller. */
  creditor: Party;
  debtor: Party;
  amountMinor: bigint;
  currency: string;
  /** A creditor reference (ISO 11649). */
  reference: string | null;
  /** Text for the creditor. */
  message: string;
}

const largestAmountMinor = 99_999_999_999n;
/** The characters that the code may have. */
const printable = /^[\u0020-\u007E\u00A0-\u017F\u0218-\u021B\u20AC]*$/;
/** The millimetres of the code without its quiet zone, of that zone, and of the Swiss cross in its middle. */
const [codeMm, quietMm, crossMm] = [46, 5, 7];

/** Whether an account is in Switzerland or Liechtenstein, whose banks read this code. */
export const isSwissIban = (iban: string): boolean => /^(CH|LI)/i.test(iban);

/**
 * Returns the code of a transfer in CHF or EUR; undefined if the guidelines do not allow it, or the seller's address lacks its
 * city or postal code. An account of a QR-IBAN (with a bank number from 30000 to 31999) takes other references.
 */
export function encodeSwissQrCode(transfer: SwissTransfer): QrCode | undefined {
  const { amountMinor, currency, reference, debtor, message } = transfer;
  const iban = transfer.iban.replace(/\s/g, '').toUpperCase();
  const creditor = listParty(transfer.creditor);
  if (currency !== 'chf' && currency !== 'eur') return undefined;
  if (amountMinor < 1n || amountMinor > largestAmountMinor) return undefined;
  if (!creditor || /^.{4}3[01]/.test(iban)) return undefined;
  const cents = String(amountMinor).padStart(3, '0');
  const none = ['', '', '', '', '', '', ''];
  const text = [
    'SPC',
    '0200',
    // UTF-8.
    '1',
    iban,
    ...creditor,
    // The ultimate creditor, for which the guidelines keep a place.
    ...none,
    `${cents.slice(0, -2)}.${cents.slice(-2)}`,
    currency.toUpperCase(),
    ...(listParty(debtor) ?? none),
    ...(reference === null ? ['NON', ''] : ['SCOR', reference]),
    printable.test(message) ? cut(message, 140) : '',
    'EPD',
  ].join('\n');
  // At most version 25, which holds 997 bytes.
  const modules = encodeModules(text, 25, 997);
  return modules && drawCode(modules);
}

const cut = (text: string, most: number): string => Array.from(text).slice(0, most).join('');

/** Lists the fields of a party with a structured address; undefined without one, or with characters that no bank reads. */
function listParty({ name, address }: Party): string[] | undefined {
  if (!address?.city || !address.postalCode) return undefined;
  const fields = [
    'S',
    cut(name, 70),
    cut(address.line1 ?? '', 70),
    '',
    cut(address.postalCode, 16),
    cut(address.city, 35),
    address.country,
  ];
  return fields.every((field) => printable.test(field)) ? fields : undefined;
}

/** Returns the name and the address as they are printed beside the code; undefined if the code has none. */
export function formatAddressLines(party: Party): string[] | undefined {
  const fields = listParty(party);
  if (!fields) return undefined;
  const [, name, street, , postalCode, city, country] = fields;
  const place = country === 'CH' ? `${postalCode} ${city}` : `${country}-${postalCode} ${city}`;
  return [name!, street!, place].filter(Boolean);
}

/** Draws the modules, without those in the middle, where the Swiss cross is. */
function drawCode(modules: boolean[][]): QrCode {
  const count = modules.length;
  const quiet = Math.ceil((quietMm / codeMm) * count);
  const side = (crossMm / codeMm) * count;
  const [low, high] = [(count - side) / 2, (count + side) / 2];
  const isCovered = (at: number) => at + 1 > low && at < high;
  const left = modules.map((row, y) => row.map((isDark, x) => isDark && !(isCovered(x) && isCovered(y))));
  const { size, path, ...drawn } = drawModules(left, quiet);
  return { ...drawn, size, path: path + drawCross(size / 2, (side * 6) / 7) };
}

/** Draws a dark square with a cross left out: its arms are a sixth longer than wide, its height 20 of 32 parts of the square. */
function drawCross(middle: number, side: number): string {
  const [wide, long] = [(side * 6) / 32, (side * 7) / 32];
  const start = middle - side / 2;
  const [x, y] = [middle - wide / 2, middle - wide / 2 - long];
  // Drawn against the direction of the square, so that it stays empty.
  const cross = `v${long}h-${long}v${wide}h${long}v${long}h${wide}v-${long}h${long}v-${wide}h-${long}v-${long}`;
  return `M${start} ${start}h${side}v${side}h-${side}zM${x} ${y}${cross}z`;
}

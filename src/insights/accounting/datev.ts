/**
 * DATEV's Buchungsstapel: header version 700, category 21, format version 13, as
 * https://developer.datev.de/datev/platform/de/dtvf/formate/buchungsstapel describes it. A line for each tax of a document, in
 * Windows-1252, with the tax in the amount where the account or the key says how to compute it.
 */
import { disarm } from '../../lib/csv.ts';
import { fitWindows1252 } from '../../lib/windows1252.ts';
import type { AccountingSettings } from '../../storage/model/accounting.ts';
import type { BookedDocument, BookedTax } from './bookings.ts';
import { findDebtorAccount, findMoneyAccount, findRevenueAccount } from './charts.ts';

const lineEnd = '\r\n';
const numbered = (art: string, content: string, most: number): string[] =>
  Array.from({ length: most }, (_, nth) => [`${art} ${nth + 1}`, `${content} ${nth + 1}`]).flat();

/** The names of the fields, in order. */
const datevFields: readonly string[] = [
  ...'Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Kurs;Basis-Umsatz;WKZ Basis-Umsatz;Konto'.split(
    ';',
  ),
  ...'Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;Belegdatum;Belegfeld 1;Belegfeld 2;Skonto;Buchungstext;Postensperre'.split(
    ';',
  ),
  ...'Diverse Adressnummer;Geschäftspartnerbank;Sachverhalt;Zinssperre;Beleglink'.split(';'),
  ...numbered('Beleginfo - Art', 'Beleginfo - Inhalt', 8),
  ...'KOST1 - Kostenstelle;KOST2 - Kostenstelle;Kost-Menge;EU-Land u. UStID (Bestimmung);EU-Steuersatz (Bestimmung)'.split(
    ';',
  ),
  ...'Abw. Versteuerungsart;Sachverhalt L+L;Funktionsergänzung L+L;BU 49 Hauptfunktionstyp;BU 49 Hauptfunktionsnummer'.split(
    ';',
  ),
  ...'BU 49 Funktionsergänzung'.split(';'),
  ...numbered('Zusatzinformation - Art', 'Zusatzinformation- Inhalt', 20),
  ...'Stück;Gewicht;Zahlweise;Forderungsart;Veranlagungsjahr;Zugeordnete Fälligkeit;Skontotyp;Auftragsnummer;Buchungstyp'.split(
    ';',
  ),
  ...'USt-Schlüssel (Anzahlungen);EU-Land (Anzahlungen);Sachverhalt L+L (Anzahlungen);EU-Steuersatz (Anzahlungen)'.split(
    ';',
  ),
  ...'Erlöskonto (Anzahlungen);Herkunft-Kz;Buchungs GUID;KOST-Datum;SEPA-Mandatsreferenz;Skontosperre;Gesellschaftername'.split(
    ';',
  ),
  ...'Beteiligtennummer;Identifikationsnummer;Zeichnernummer;Postensperre bis;Bezeichnung SoBil-Sachverhalt'.split(
    ';',
  ),
  ...'Kennzeichen SoBil-Buchung;Festschreibung;Leistungsdatum;Datum Zuord. Steuerperiode;Fälligkeit;Generalumkehr (GU)'.split(
    ';',
  ),
  ...'Steuersatz;Land;Abrechnungsreferenz;BVV-Position;EU-Land u. UStID (Ursprung);EU-Steuersatz (Ursprung);Abw. Skontokonto'.split(
    ';',
  ),
];

const positions = new Map(datevFields.map((name, nth) => [name, nth]));

/** The days of a file, and when it is made. */
export interface DatevPeriod {
  /** Calendar dates; the last one is inclusive. */
  from: string;
  to: string;
  /** An instant. */
  createdAt: string;
}

/** Returns the first two lines of a file. */
export function formatDatevHead(settings: AccountingSettings, { from, to, createdAt }: DatevPeriod): string {
  const { consultantNumber, clientNumber, accountLength, chart } = settings;
  const skr = chart === 'own' ? '' : chart.slice(3);
  const days = [findFiscalYear(settings, from), from, to].map((date) => date.replaceAll('-', ''));
  const head = [
    `"EXTF";700;21;"Buchungsstapel";13;${createdAt.replace(/\D/g, '')};;"RE";"";""`,
    `${consultantNumber};${clientNumber};${days[0]};${accountLength};${days[1]};${days[2]}`,
    `"Rechnungsausgang";"";1;0;0;"EUR";;"";;;"${skr}";;;"";""`,
  ];
  return `${head.join(';')}${lineEnd}${datevFields.join(';')}${lineEnd}`;
}

/** Returns the first day of the fiscal year of a date. */
export function findFiscalYear({ fiscalYearStart }: AccountingSettings, date: string): string {
  const year = Number(date.slice(0, 4));
  const start = `${date.slice(0, 4)}-${fiscalYearStart}`;
  return start <= date ? start : `${String(year - 1).padStart(4, '0')}-${fiscalYearStart}`;
}

/** A line before it is written. The amount is in minor units of EUR: above 0 it is a debit of the account. */
interface Booking {
  amountMinor: bigint;
  account: string;
  contraAccount: string;
  taxKey?: string;
  date: string;
  reference: string;
  text: string;
  info: [kind: string, content: string][];
  dueDate?: string | null;
  /** The destination of a sale: the VAT id of the buyer, or the member state of consumption with its rate. */
  euVatId?: string;
  euPercent?: string;
}

/** Returns the lines of a document; amounts of 0 book nothing. */
export function formatDatevDocument(
  settings: AccountingSettings,
  document: BookedDocument,
  debtor: string | undefined,
): string {
  const account = debtor ?? findDebtorAccount(settings);
  const { number, issueDate, customerName, customerId, dueDate } = document;
  const info: Booking['info'] = [
    ['Belegnummer', number],
    ['Kunde', customerName],
    ['Kunden-ID', customerId],
  ];
  const shared = {
    account,
    date: issueDate,
    reference: number,
    text: `${number} ${customerName}`,
    info,
    dueDate,
  };
  return document.taxes
    .flatMap((tax) => divideTax(settings, tax, document).map((part) => formatBooking({ ...shared, ...part })))
    .join('');
}

type Part = Pick<Booking, 'amountMinor' | 'contraAccount' | 'taxKey' | 'euVatId' | 'euPercent'>;

/** Divides the tax off where neither the account nor its key says how to compute it. */
function divideTax(
  settings: AccountingSettings,
  { terms, netMinor, taxMinor }: BookedTax,
  document: BookedDocument,
): Part[] {
  const { account, taxKey, taxAccount } = findRevenueAccount(settings, terms);
  const isDivided = taxAccount !== undefined && taxMinor !== 0n;
  const sale: Part = {
    amountMinor: isDivided ? netMinor : netMinor + taxMinor,
    contraAccount: account,
    ...(taxKey !== undefined && { taxKey }),
    ...(terms?.treatment === 'intra_community' &&
      document.vatId !== undefined && { euVatId: document.vatId }),
    ...(terms?.treatment === 'one_stop_shop' && { euVatId: terms.country ?? '', euPercent: terms.percent }),
  };
  return isDivided ? [sale, { amountMinor: taxMinor, contraAccount: taxAccount }] : [sale];
}

/** A payment as it is booked; above 0 it was received. */
export interface BookedPayment {
  id: string;
  date: string;
  amountMinor: bigint;
  /** The number of the invoice; null for an order that has none yet. */
  invoiceNumber: string | null;
  provider: string;
  reference: string | null;
  customerId: string;
}

/** Returns the line of a payment, a refund or a dispute. */
export function formatDatevPayment(
  settings: AccountingSettings,
  { id, date, amountMinor, invoiceNumber, provider, reference, customerId }: BookedPayment,
  debtor: string | undefined,
): string {
  return formatBooking({
    amountMinor,
    account: findMoneyAccount(settings),
    contraAccount: debtor ?? findDebtorAccount(settings),
    date,
    reference: invoiceNumber ?? id,
    text: [amountMinor < 0n ? 'Erstattung' : 'Zahlung', invoiceNumber, provider].filter(Boolean).join(' '),
    info: [
      ['Belegnummer', invoiceNumber ?? ''],
      ['Zahlungs-ID', id],
      ['Referenz', reference ?? ''],
      ['Kunden-ID', customerId],
    ],
  });
}

const longestText = 60;
const longestReference = 36;
const longestInfo = 210;

function formatBooking(booking: Booking): string {
  const {
    amountMinor,
    account,
    contraAccount,
    taxKey,
    date,
    reference,
    text,
    info,
    dueDate,
    euVatId,
    euPercent,
  } = booking;
  if (amountMinor === 0n) return '';
  const row = Array.from(datevFields, () => '');
  const set = (name: string, value: string) => {
    row[positions.get(name)!] = value;
  };
  const setText = (name: string, value: string, most: number) => {
    if (value !== '') set(name, quote(value, most));
  };
  set('Umsatz (ohne Soll/Haben-Kz)', formatAmount(amountMinor));
  set('Soll/Haben-Kennzeichen', amountMinor < 0n ? '"H"' : '"S"');
  set('WKZ Umsatz', '"EUR"');
  set('Konto', account);
  set('Gegenkonto (ohne BU-Schlüssel)', contraAccount);
  if (taxKey !== undefined) set('BU-Schlüssel', `"${taxKey.padStart(4, '0')}"`);
  set('Belegdatum', `${date.slice(8)}${date.slice(5, 7)}`);
  setText('Belegfeld 1', fitWindows1252(reference).replace(/[^\w$%/-]/g, '_'), longestReference);
  setText('Buchungstext', text, longestText);
  for (const [nth, [kind, content]] of info.filter(([, each]) => each !== '').entries()) {
    setText(`Beleginfo - Art ${nth + 1}`, kind, longestInfo);
    setText(`Beleginfo - Inhalt ${nth + 1}`, content, longestInfo);
  }
  setText('EU-Land u. UStID (Bestimmung)', euVatId ?? '', 15);
  if (euPercent !== undefined) set('EU-Steuersatz (Bestimmung)', formatPercent(euPercent));
  if (dueDate) set('Fälligkeit', `${dueDate.slice(8)}${dueDate.slice(5, 7)}${dueDate.slice(0, 4)}`);
  return `${row.join(';')}${lineEnd}`;
}

/** Quotes a text, which has at most so many characters. */
const quote = (text: string, most: number): string =>
  `"${disarm(fitWindows1252(text)).slice(0, most).replaceAll('"', '""')}"`;

function formatAmount(minor: bigint): string {
  const digits = String(minor < 0n ? -minor : minor).padStart(3, '0');
  return `${digits.slice(0, -2)},${digits.slice(-2)}`;
}

/** 5.5 is 05,50. */
function formatPercent(percent: string): string {
  const [whole = '0', part = ''] = percent.split('.');
  return `${whole.padStart(2, '0')},${part.slice(0, 2).padEnd(2, '0')}`;
}

/**
 * Invoices as CSV for accounting programs, a line for each line of a document. Quantities are 1, so that amounts stay as they
 * were invoiced, and the tax of each line is that of its document.
 */
import { formatCsvLine, type CsvValue } from '../../lib/csv.ts';
import { decimalText } from '../../lib/money.ts';
import type { AccountingSettings } from '../../storage/model/accounting.ts';
import type { BookedDocument, BookedLine } from './bookings.ts';
import { findRevenueAccount } from './charts.ts';

/** A line of a document, with the account of its sale. */
interface CsvLine {
  document: BookedDocument;
  line: BookedLine;
  account: string;
  taxName: string;
  /** Returns an amount as a decimal. */
  write: (minor: bigint) => CsvValue;
}

type Columns = readonly [header: string, value: (line: CsvLine) => CsvValue][];

const none = (): CsvValue => '';
const writeDate = (date: string): string => `${date.slice(8)}/${date.slice(5, 7)}/${date.slice(0, 4)}`;
const buyer = ({ document: { record } }: CsvLine) => record?.buyer;

/** The template of sales invoices of Xero. Amounts below 0 are imported as credit notes. */
const xero: Columns = [
  ['*ContactName', ({ document }) => document.customerName],
  ['EmailAddress', (line) => buyer(line)?.email ?? ''],
  ['POAddressLine1', (line) => buyer(line)?.address?.line1 ?? ''],
  ['POAddressLine2', (line) => buyer(line)?.address?.line2 ?? ''],
  ['POAddressLine3', none],
  ['POAddressLine4', none],
  ['POCity', (line) => buyer(line)?.address?.city ?? ''],
  ['PORegion', (line) => buyer(line)?.address?.region ?? ''],
  ['POPostalCode', (line) => buyer(line)?.address?.postalCode ?? ''],
  ['POCountry', (line) => buyer(line)?.address?.country ?? ''],
  ['*InvoiceNumber', ({ document }) => document.number],
  ['Reference', ({ document }) => document.record?.purchaseOrder ?? ''],
  ['*InvoiceDate', ({ document }) => writeDate(document.issueDate)],
  ['*DueDate', ({ document }) => writeDate(document.dueDate ?? document.issueDate)],
  ['Total', none],
  ['InventoryItemCode', none],
  ['*Description', ({ line }) => line.description],
  ['*Quantity', () => '1'],
  ['*UnitAmount', ({ line, write }) => write(line.netMinor)],
  ['Discount', none],
  ['*AccountCode', ({ account }) => account],
  ['*TaxType', ({ taxName }) => taxName],
  ['TaxAmount', ({ line, write }) => write(line.taxMinor)],
  ['TrackingName1', none],
  ['TrackingOption1', none],
  ['TrackingName2', none],
  ['TrackingOption2', none],
  ['Currency', ({ document }) => document.currency.toUpperCase()],
  ['BrandingTheme', none],
];

/** The columns of QuickBooks Online, whose imports have no amounts below 0: credit notes are a file of their own. */
const quickBooks: Columns = [
  ['*InvoiceNo', ({ document }) => document.number],
  ['*Customer', ({ document }) => document.customerName],
  ['*InvoiceDate', ({ document }) => writeDate(document.issueDate)],
  ['*DueDate', ({ document }) => writeDate(document.dueDate ?? document.issueDate)],
  ['Terms', none],
  ['Location', none],
  ['Memo', ({ document }) => document.record?.purchaseOrder ?? ''],
  ['Item(Product/Service)', ({ account }) => account],
  ['ItemDescription', ({ line }) => line.description],
  ['ItemQuantity', () => '1'],
  ['ItemRate', ({ line, write }) => write(line.netMinor)],
  ['*ItemAmount', ({ line, write }) => write(line.netMinor)],
  ['*ItemTaxCode', ({ taxName }) => taxName],
  ['ItemTaxAmount', ({ line, write }) => write(line.taxMinor)],
  ['Currency', ({ document }) => document.currency.toUpperCase()],
  ['Service Date', none],
];

const templates = { xero, quickbooks: quickBooks, quickbooks_credits: quickBooks };

export type CsvFormat = keyof typeof templates;

/** Returns the first line of a file. */
export const formatCsvHead = (format: CsvFormat): string =>
  formatCsvLine(templates[format].map(([header]) => header));

/** Returns the lines of a document; none if the file has no such documents. */
export function formatCsvDocument(
  format: CsvFormat,
  settings: AccountingSettings,
  document: BookedDocument,
): string {
  const total = document.taxes.reduce((sum, { netMinor, taxMinor }) => sum + netMinor + taxMinor, 0n);
  if (format !== 'xero' && (format === 'quickbooks_credits') !== total < 0n) return '';
  const sign = format === 'quickbooks_credits' ? -1n : 1n;
  const write = (minor: bigint) => ({ decimal: decimalText(sign * minor, document.currency) });
  return document.lines
    .map((line) => {
      const { account, taxKey } = findRevenueAccount(settings, line.terms);
      const percent = line.terms ? Number(line.terms.percent) : 0;
      const taxName = taxKey ?? (percent === 0 ? 'No VAT' : `${percent}%`);
      const row = { document, line, account, taxName, write };
      return formatCsvLine(templates[format].map(([, value]) => value(row)));
    })
    .join('');
}

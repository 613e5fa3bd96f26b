/** Files for accounting programs, a part at a time: a file of any length is never in memory. */
import { refuse } from '../../lib/errors.ts';
import { addMs, parsePeriod, toLocalDate } from '../../lib/time.ts';
import { encodeWindows1252 } from '../../lib/windows1252.ts';
import type { AccountingSettings } from '../../storage/model/accounting.ts';
import type { Scan } from '../../storage/scan.ts';
import { encodeCursor, readCursor } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { parseTimeZone } from '../revenue/buckets.ts';
import { mergeDocuments } from '../tax/mergeDocuments.ts';
import { addTaxes } from '../tax/readTaxes.ts';
import type { ReadTaxSum } from '../tax/readTaxSums.ts';
import type { Period, TaxedDocument } from '../tax/taxedDocuments.ts';
import { compareText, createTreatments } from '../tax/taxTerms.ts';
import { bookDocuments, readByIds } from './bookings.ts';
import { readAccounting } from './charts.ts';
import { findFiscalYear, formatDatevDocument, formatDatevHead, formatDatevPayment } from './datev.ts';
import { formatCsvDocument, formatCsvHead, type CsvFormat } from './invoiceCsv.ts';

export type AccountingFormat = 'datev' | CsvFormat;

interface ExportQuestion {
  format: AccountingFormat;
  from: string;
  until: string;
  timeZone?: string | null;
  payments?: boolean | null;
}

/** A part of a file. */
export interface ExportPart {
  fileName: string;
  contentType: string;
  bytes: Buffer;
  nextCursor: string | null;
  /** The documents that the whole file leaves out, by currency; known with the first part. */
  otherCurrencies: { currency: string; documents: number }[];
}

/** What one part reads. */
const documentsAtOnce = 1000;

/** What a file is made of, and how it is written. */
interface OpenExport {
  format: AccountingFormat;
  settings: AccountingSettings;
  period: Period;
  /** Calendar dates, the last one inclusive. */
  from: string;
  to: string;
  hasPayments: boolean;
  toDate: (instant: string) => string;
}

/**
 * Returns the part of a file after a cursor. Errors: `validation_failed` if the settings lack what the format needs,
 * `cursor_invalid`, `query_timeout`.
 */
export async function exportAccounting(
  tenant: TenantScope,
  question: ExportQuestion,
  after: string | null | undefined,
): Promise<ExportPart> {
  const file = openExport(tenant, question);
  const { format, period, from, to, hasPayments } = file;
  const binding = JSON.stringify(['accountingExport', format, period, hasPayments]);
  const [part = 'documents', ...past] = after ? readCursor(tenant, binding, after, 'after') : [];
  const isFirst = !after;
  const { text, next } = await tenant.scan((scan) =>
    part === 'documents' ? exportDocuments(tenant, scan, file, past) : exportPayments(scan, file, past),
  );
  const isDatev = format === 'datev';
  const whole = `${isFirst ? formatHead(file, tenant.now()) : ''}${text}`;
  return {
    fileName: isDatev ? `EXTF_Buchungsstapel_${from}_${to}.csv` : `${format}_${from}_${to}.csv`,
    contentType: `text/csv; charset=${isDatev ? 'windows-1252' : 'utf-8'}`,
    bytes: isDatev ? encodeWindows1252(whole) : Buffer.from(whole),
    nextCursor: next && encodeCursor(tenant, binding, next.join('|')),
    otherCurrencies: isDatev && isFirst ? await countOthers(tenant, period) : [],
  };
}

const formatHead = ({ format, settings, from, to }: OpenExport, createdAt: string): string =>
  format === 'datev' ? formatDatevHead(settings, { from, to, createdAt }) : formatCsvHead(format);

function openExport(tenant: TenantScope, question: ExportQuestion): OpenExport {
  const { format } = question;
  const timeZone = parseTimeZone(question.timeZone ?? tenant.record.timezone, 'timeZone');
  const { from: start, until: before } = parsePeriod(question, timeZone);
  const period = { from: start, before };
  const settings = readAccounting(tenant.record);
  const from = toLocalDate(start, timeZone);
  const to = toLocalDate(addMs(before, -1), timeZone);
  if (format === 'datev') checkDatev(settings, from, to);
  return {
    format,
    settings,
    period,
    from,
    to,
    hasPayments: format === 'datev' && question.payments === true,
    toDate: (instant) => toLocalDate(instant, timeZone),
  };
}

/** Refuses settings that DATEV cannot read. Error: `validation_failed`. */
function checkDatev(settings: AccountingSettings, from: string, to: string): void {
  const { consultantNumber, clientNumber, debtorAccount, moneyAccount, revenueAccounts } = settings;
  const refuseFormat = (message: string) => refuse('validation_failed', { path: 'format', message });
  if (consultantNumber === null || clientNumber === null)
    refuseFormat('needs accounting.consultantNumber and accounting.clientNumber');
  const own = revenueAccounts.flatMap(({ account, taxAccount }) => [account, taxAccount]);
  const accounts = [debtorAccount, moneyAccount, ...own].filter((each) => typeof each === 'string');
  if (!accounts.every(isDatevAccount)) refuseFormat('needs accounts of 1 to 9 digits');
  if (!revenueAccounts.every(({ taxKey }) => taxKey === undefined || /^\d{1,4}$/.test(taxKey)))
    refuseFormat('needs tax keys of 1 to 4 digits');
  if (findFiscalYear(settings, from) !== findFiscalYear(settings, to))
    refuse('validation_failed', { path: 'until', message: 'must be in the fiscal year of from' });
}

const isDatevAccount = (account: string): boolean => /^(?!0+$)\d{1,9}$/.test(account);

interface Written {
  text: string;
  /** Where the next part begins; null at the end. */
  next: string[] | null;
}

async function exportDocuments(
  tenant: TenantScope,
  scan: Scan,
  file: OpenExport,
  past: string[],
): Promise<Written> {
  const { format, settings, period, hasPayments, toDate } = file;
  const documents: TaxedDocument[] = [];
  for await (const document of mergeDocuments(scan, {
    direction: 'asc',
    past: past.length > 0 ? past : undefined,
    firstRows: documentsAtOnce,
    currency: format === 'datev' ? 'eur' : undefined,
    invoices: [period],
    notes: [period],
    matches: () => true,
    keep: (some) => Promise.resolve(some),
  })) {
    documents.push(document);
    if (documents.length === documentsAtOnce) break;
  }
  const booked = await bookDocuments(scan, documents, createTreatments(tenant), toDate);
  const findDebtor = await readDebtors(scan, settings, booked);
  const lines = booked.map((document) =>
    format === 'datev'
      ? formatDatevDocument(settings, document, findDebtor(document))
      : formatCsvDocument(format, settings, document),
  );
  const last = documents.length === documentsAtOnce ? documents.at(-1)! : undefined;
  const end = hasPayments ? ['payments'] : null;
  return { text: lines.join(''), next: last ? ['documents', last.issuedAt, last.id] : end };
}

async function exportPayments(
  scan: Scan,
  { settings, period, toDate }: OpenExport,
  past: string[],
): Promise<Written> {
  const payments = [];
  for await (const some of scan.slices('payments', {
    where: { createdAt: period },
    filter: { status: 'succeeded', currency: 'eur' },
    orderBy: ['createdAt', 'id'],
    past: past.length > 0 ? past : undefined,
    sliceRows: documentsAtOnce,
    limit: documentsAtOnce,
  }))
    payments.push(...some);
  const ids = payments.flatMap(({ invoiceId }) => invoiceId ?? []);
  const invoices = await readByIds(scan, 'invoices', [...new Set(ids)]);
  const findDebtor = await readDebtors(scan, settings, payments);
  const lines = payments.map((payment) => {
    const { id, kind, amountMinor, createdAt, invoiceId, provider, reference, customerId } = payment;
    const invoice = invoiceId === null ? undefined : invoices.get(invoiceId);
    const booked = {
      id,
      provider,
      reference,
      customerId,
      date: toDate(createdAt),
      amountMinor: kind === 'charge' ? amountMinor : -amountMinor,
      invoiceNumber: invoice ? (invoice.documentNumber ?? String(invoice.number)) : null,
    };
    return formatDatevPayment(settings, booked, findDebtor(payment));
  });
  const last = payments.length === documentsAtOnce ? payments.at(-1)! : undefined;
  return { text: lines.join(''), next: last ? ['payments', last.createdAt, last.id] : null };
}

type FindDebtor = (of: { customerId: string }) => string | undefined;

/** Returns a function that finds the account of a customer, if the metadata has one. */
async function readDebtors(
  scan: Scan,
  { debtorMetadataKey }: AccountingSettings,
  of: readonly { customerId: string }[],
): Promise<FindDebtor> {
  if (debtorMetadataKey === null) return () => undefined;
  const ids = [...new Set(of.map(({ customerId }) => customerId))];
  const customers = await readByIds(scan, 'customers', ids);
  return ({ customerId }) => {
    const account = customers.get(customerId)?.metadata[debtorMetadataKey]?.trim();
    return account !== undefined && isDatevAccount(account) ? account : undefined;
  };
}

/** Counts the documents in other currencies than euros. */
async function countOthers(
  tenant: TenantScope,
  { from, before }: Period,
): Promise<ExportPart['otherCurrencies']> {
  const counts = new Map<string, number>();
  const add = (currency: string, documents: number) =>
    counts.set(currency, (counts.get(currency) ?? 0) + documents);
  await addTaxes(tenant, [from, before], {
    addSum: ({ kind, currency, documents }: ReadTaxSum) => {
      if (kind === 'taxed' || kind === 'untaxed') add(currency, documents);
    },
    addDocument: ({ currency }) => add(currency, 1),
  });
  return [...counts]
    .filter(([currency, documents]) => currency !== 'eur' && documents > 0)
    .map(([currency, documents]) => ({ currency, documents }))
    .toSorted((a, b) => compareText(a.currency, b.currency));
}

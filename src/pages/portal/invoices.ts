/** The customer's invoices and credit notes, and their documents. */
import type { FastifyReply } from 'fastify';
import type { DocumentFile, DocumentFormat } from '../../documents/record.ts';
import type { CreditNoteRow } from '../../billing/invoices/creditNotes.ts';
import { findCreditNoteDocument, findInvoiceDocument } from '../../billing/invoices/documentFiles.ts';
import { listInvoices, type InvoiceRow } from '../../billing/invoices/invoices.ts';
import { html, type Html } from '../../lib/html.ts';
import { refusePage, sendPortalPage, type CustomerVisit } from './visit.ts';

const perPage = 20;
const dot = ' · ';

/** Lists the invoices, newest first, each with its credit notes. Drafts are not shown. */
export async function showInvoices(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer, texts, base, query } = visit;
  const after = query.get('after');
  const args = { first: perPage, ...(after !== null && { after }) };
  const page = await listInvoices(tenant, { customerId: customer.id }, args);
  const notes = await tenant.read.many('creditNotes', {
    where: { customerId: customer.id, status: 'issued', invoiceId: page.rows.map(({ id }) => id) },
    orderBy: ['createdAt', 'id'],
  });
  const shown = page.rows.filter(({ status }) => status !== 'draft');
  const older = page.hasNextPage
    ? `${base}/invoices?after=${encodeURIComponent(page.toCursor(page.rows.at(-1)!))}`
    : undefined;
  const content = html`${
    shown.length === 0
      ? html`<p>${texts.noInvoices}</p> `
      : html`<ul class="documents">
          ${shown.map((invoice) => [
            renderInvoice(visit, invoice),
            ...notes
              .filter(({ invoiceId }) => invoiceId === invoice.id)
              .map((note) => renderNote(visit, note)),
          ])}
        </ul> `
  }
  ${older === undefined && after === null ? undefined : html`<p class="pages">${after === null ? undefined : html`<a href="${base}/invoices">${texts.newest}</a> `}${older === undefined ? undefined : html`<a href="${older}">${texts.older}</a>`}</p> `}`;
  return sendPortalPage(visit, { title: texts.invoices, content, at: 'invoices' });
}

function renderInvoice(visit: CustomerVisit, invoice: InvoiceRow): Html {
  const { texts, formats } = visit;
  const { id, status, totalMinor, currency, createdAt, issuedAt, documentNumber, number } = invoice;
  const name = documentNumber ?? `#${number}`;
  // An invoice of a grace has no document until it is finalized.
  const hasDocument = issuedAt !== null || invoice.finalizeAt === null;
  return html`<li>
    <div class="head">
      <span><bdi>${name}</bdi></span>
      <span class="amount"><bdi>${formats.money(totalMinor, currency)}</bdi></span>
    </div>
    <p class="soft">
      <bdi>${formats.day(issuedAt ?? createdAt)}</bdi>${dot}<span class="status ${status}"
        >${texts.invoiceStatuses[status]}</span
      >
      ${hasDocument ? renderLinks(visit, `invoices/${id}`, name) : undefined}
    </p>
  </li> `;
}

const renderNote = (
  visit: CustomerVisit,
  { id, totalMinor, currency, issuedAt, documentNumber }: CreditNoteRow,
): Html =>
  html`<li class="note">
    <div class="head">
      <span>${visit.texts.creditNote} <bdi>${documentNumber}</bdi></span>
      <span class="amount"><bdi>${visit.formats.money(-totalMinor, currency)}</bdi></span>
    </div>
    <p class="soft">
      <bdi>${visit.formats.day(issuedAt)}</bdi> ${renderLinks(visit, `credit-notes/${id}`, documentNumber)}
    </p>
  </li> `;

const renderLinks = ({ base }: CustomerVisit, path: string, name: string): Html =>
  html`${(['pdf', 'html'] as const).map(
    (format) =>
      html`${dot}<a href="${base}/${path}/${format}"
          >${format.toUpperCase()}<span class="hidden"> <bdi>${name}</bdi></span></a
        >`,
  )}`;

const formats: Record<string, DocumentFormat> = { pdf: 'pdf', html: 'html' };

/** Sends the document of an invoice of the customer. Error: `route_not_found`, also for that of another customer. */
export async function sendInvoice(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer, params } = visit;
  const invoice = await tenant.read.one('invoices', { id: params['id']!, customerId: customer.id });
  const format = formats[params['format']!];
  if (!invoice || invoice.status === 'draft' || !format) return refusePage();
  return sendFile(visit, await findInvoiceDocument(tenant, invoice, format));
}

/** Sends the document of a credit note of the customer. Error: as for invoices. */
export async function sendCreditNote(visit: CustomerVisit): Promise<FastifyReply> {
  const { tenant, customer, params } = visit;
  const note = await tenant.read.one('creditNotes', { id: params['id']!, customerId: customer.id });
  const format = formats[params['format']!];
  if (!note || !format) return refusePage();
  return sendFile(visit, await findCreditNoteDocument(tenant, note, format));
}

/** Sends a file as a download, so that a browser never shows it as a page of this server. */
const sendFile = ({ reply }: CustomerVisit, { contentType, fileName, bytes }: DocumentFile): FastifyReply =>
  reply.header('content-disposition', `attachment; filename="${fileName}"`).type(contentType).send(bytes);

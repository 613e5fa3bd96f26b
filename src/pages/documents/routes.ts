/** The pages of documents: whoever has the link sees the invoice or the credit note until the link expires. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PageDeps } from '../../http/server.ts';
import type { DocumentFile, DocumentFormat } from '../../documents/record.ts';
import { findCreditNoteDocument, findInvoiceDocument } from '../../billing/invoices/documentFiles.ts';
import { BillingError, isTransient, refuse } from '../../lib/errors.ts';
import { readDocumentLink } from '../../tenancy/documentLinks.ts';
import { openDocumentTenant } from '../../tenants/pageAccess.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { renderProblem } from '../shared/problems.ts';
import { refuseOtherMethods, serveSite } from '../shared/routes.ts';
import { pageTexts, type PageTexts } from '../shared/texts.ts';
import type { Site } from '../shared/visit.ts';

const documents: Site<PageTexts> = {
  page: 'document page',
  texts: pageTexts,
  referrerPolicy: 'no-referrer',
  findLanguagePath: () => undefined,
  findFormPath: ({ base }) => base,
  findOwner: ({ base }) => base,
  describeError: (language, error) => {
    const { documentGone, documentGoneText } = pageTexts[language];
    const own = error.reason === 'route_not_found' ? ([documentGone, documentGoneText] as const) : undefined;
    return renderProblem(language, error, own);
  },
};

/** Nothing of a document runs or is fetched: its styles and its logo are part of it. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; sandbox";

/**
 * Serves the documents by signed links. A link that is wrong, expired, of another tenant, or of an erased customer is not found.
 * Requests are limited by IP address.
 */
export function serveDocuments(server: FastifyInstance, deps: PageDeps): void {
  serveSite(server, deps, documents, (scope) => {
    const createHandler =
      (format: DocumentFormat) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const { contentType, fileName, bytes } = await readDocument(deps, request, format);
        if (format === 'html') void reply.header('content-security-policy', contentSecurityPolicy);
        else void reply.header('content-disposition', `attachment; filename="${fileName}"`);
        return reply.header('x-robots-tag', 'noindex').type(contentType).send(bytes);
      };
    for (const [url, format] of [
      ['/documents/:alias/:link', 'html'],
      ['/documents/:alias/:link/pdf', 'pdf'],
    ] as const) {
      scope.get(url, createHandler(format));
      refuseOtherMethods(scope, url, 'GET, HEAD');
    }
  });
}

async function readDocument(
  { service }: PageDeps,
  request: FastifyRequest,
  format: DocumentFormat,
): Promise<DocumentFile> {
  const { alias, link } = request.params as { alias: string; link: string };
  const tenant = await openDocumentTenant(service, alias, request.id);
  const id = tenant && readDocumentLink(tenant, link);
  if (!tenant || id === undefined) return refuse('route_not_found');
  request.tenantAlias = tenant.alias;
  try {
    return await findDocument(tenant, id, format);
  } catch (error) {
    // Why a document is not shown any more is nobody's business who has only its link.
    if (error instanceof BillingError && error.status < 500 && !isTransient(error.reason))
      return refuse('route_not_found');
    throw error;
  }
}

async function findDocument(tenant: TenantScope, id: string, format: DocumentFormat): Promise<DocumentFile> {
  const invoice = await tenant.read.one('invoices', { id });
  if (invoice) return findInvoiceDocument(tenant, invoice, format);
  const note = await tenant.read.one('creditNotes', { id });
  return note ? findCreditNoteDocument(tenant, note, format) : refuse('route_not_found');
}

/** The addresses of documents: each shows one document until it expires. */
import { isSameHash, tokenForm } from '../lib/tokens.ts';
import { addMs } from '../lib/time.ts';
import { hourMs } from '../lib/durations.ts';
import type { SteppedTenant } from './tenantScope.ts';

type Signing = Pick<SteppedTenant, 'sign' | 'serviceNow' | 'alias'>;

const sign = (tenant: Pick<Signing, 'sign'>, documentId: string, expiry: string, isShown?: boolean) =>
  tenant.sign(`document|${documentId}|${expiry}`, isShown);

/**
 * Returns the path of a document's page, below the public URL. It says nothing of what the document contains. Its end is the
 * next full hour after `lifetimeMs`, by the service's clock, so that the same request gets the same address for an hour.
 */
export function buildDocumentPath(tenant: Signing, documentId: string, lifetimeMs: number): string {
  const endsMs = Date.parse(addMs(tenant.serviceNow(), lifetimeMs));
  const expiry = Math.ceil(endsMs / hourMs).toString(36);
  return `/documents/${tenant.alias}/${documentId}.${expiry}.${sign(tenant, documentId, expiry, true)}`;
}

/** Returns the id of the document that a link shows now; undefined for a link that is wrong or has expired. */
export function readDocumentLink(tenant: Signing, link: string): string | undefined {
  const [documentId = '', expiry = '', token = '', ...rest] = link.split('.');
  if (rest.length > 0 || !/^[0-9a-z]{1,8}$/.test(expiry) || !tokenForm.test(token)) return undefined;
  if (!isSameHash(token, sign(tenant, documentId, expiry))) return undefined;
  return Date.parse(tenant.serviceNow()) < parseInt(expiry, 36) * hourMs ? documentId : undefined;
}

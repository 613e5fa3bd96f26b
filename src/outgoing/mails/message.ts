/** The content of a mail of the log, composed again by the functions that send it. */
import { describePortalLink, hiddenSecret } from '../../access/portal/sessions.ts';
import { isErased } from '../../billing/customers/erasedData.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findLogo, writeLogo, type ComposedMail } from './compose.ts';
import { composeDelivery, findFlow, readContent, type Content } from './content.ts';
import type { MailRow } from './outbox.ts';

/**
 * Composes a mail from the records and texts of now. No code and no link is created; those of the mail are hidden, unless
 * the tenant is a test tenant and `mayReveal` says that the caller may sign in as its customers. Null if a record that the
 * mail is about was deleted, or its customer erased.
 */
export async function composeMessage(
  tenant: TenantScope,
  read: Reads,
  publicUrl: string,
  mail: MailRow,
  mayReveal: boolean,
): Promise<ShownMail | null> {
  const customer = mail.customerId ? await read.one('customers', { id: mail.customerId }) : undefined;
  if (mail.customerId !== null && (!customer || isErased(customer))) return null;
  const record = (await read.one('tenants', {}))!;
  const reveal = (name: string) =>
    mayReveal && record.test ? openSecret(tenant, mail.data[name]) : undefined;
  const scope = { record, read, now: () => tenant.now() };
  const content = await readContent(scope, mail, {
    findCode: () => ({ code: reveal('sealed') ?? hiddenSecret, expiresAt: mail.createdAt }),
    evenIfSettled: true,
  });
  if (!content) return null;
  const { code, ...facts } = content.facts;
  const logo = await findLogo(read, record);
  const isCode = mail.kind === 'portal_code';
  const composed = await composeDelivery(read, record, mail, {
    facts: code ? { ...facts, code: isCode ? code : { ...code, code: hiddenSecret } } : facts,
    actionUrl: findFlow(mail) ? (reveal('actionUrl') ?? describePortalLink(record, publicUrl)) : null,
    logo: logo ? writeLogo(logo) : null,
  });
  return { ...composed, attachments: describeAttachments(content) };
}

function describeAttachments({ invoice, creditNote }: Content): ShownMail['attachments'] {
  if (creditNote) {
    const { id, documentNumber, invoiceId } = creditNote;
    return [{ fileName: `${documentNumber}.pdf`, invoiceId, creditNoteId: id }];
  }
  if (!invoice?.documentNumber) return [];
  return [{ fileName: `${invoice.documentNumber}.pdf`, invoiceId: invoice.id, creditNoteId: null }];
}

/** A mail as the console shows it. */
export interface ShownMail extends ComposedMail {
  attachments: { fileName: string; invoiceId: string; creditNoteId: string | null }[];
}

/** Decrypts a secret of a mail; undefined if there is none, or the tenant comes from a server with another key. */
function openSecret(tenant: TenantScope, sealed: unknown): string | undefined {
  if (typeof sealed !== 'string') return undefined;
  try {
    return tenant.reveal(sealed);
  } catch {
    return undefined;
  }
}

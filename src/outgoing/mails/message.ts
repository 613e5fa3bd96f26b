/** The content of a mail of the log, composed again by the functions that send it. */
import { describePortalLink, hiddenSecret } from '../../access/portal/sessions.ts';
import { isErased } from '../../billing/customers/erasedData.ts';
import type { Reads } from '../../storage/store.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findLogo, writeLogo, type ComposedMail } from './compose.ts';
import { composeDelivery, findFlow, readContent } from './content.ts';
import type { MailRow } from './outbox.ts';

/**
 * Composes a mail from the records and texts of now. Codes and the tokens of links are hidden, and none is created. Null
 * if a record that the mail is about was deleted, or its customer erased.
 */
export async function composeMessage(
  tenant: TenantScope,
  read: Reads,
  publicUrl: string,
  mail: MailRow,
): Promise<ComposedMail | null> {
  const customer = mail.customerId ? await read.one('customers', { id: mail.customerId }) : undefined;
  if (mail.customerId !== null && (!customer || isErased(customer))) return null;
  const record = (await read.one('tenants', {}))!;
  const scope = { record, read, now: () => tenant.now() };
  const content = await readContent(scope, mail, {
    findCode: () => ({ code: hiddenSecret, expiresAt: mail.createdAt }),
    evenIfSettled: true,
  });
  if (!content) return null;
  const { code, ...facts } = content.facts;
  const logo = await findLogo(read, record);
  return composeDelivery(read, record, mail, {
    facts: code ? { ...facts, code: { ...code, code: hiddenSecret } } : facts,
    actionUrl: findFlow(mail) ? describePortalLink(record, publicUrl) : null,
    logo: logo ? writeLogo(logo) : null,
  });
}

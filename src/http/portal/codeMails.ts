/** The mails with the codes by which customers sign in. */
import { addMs } from '../../lib/time.ts';
import { chooseLanguage, type Language } from '../../lib/language.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { codeLifetimeMs } from '../../portal/codes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { Service } from '../../tenancy/tenants.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/** A mail with a code. The code is sealed, because the queue keeps mails. */
interface CodeMail {
  kind: 'portal_code';
  customerId: string;
  recipient: string;
  language: Language;
  data: { sealed: string; expiresAt: string };
}

/** The queue of mails, as far as the portal uses it. */
interface CodeMailer {
  /** Whether there is a mail server for the tenant. */
  canSend(tenant: Row<'tenants'>): boolean;
  queue(unit: UnitOfWork, mail: CodeMail): Promise<unknown>;
}

/** Returns the queue of mails of the service, if it has one that can send mails of the tenant. */
export function findMailer(service: Service, tenant: Row<'tenants'>): CodeMailer | undefined {
  const { mailer } = service as { mailer?: CodeMailer };
  return mailer?.canSend(tenant) ? mailer : undefined;
}

/** Queues the mail with a code for a customer, in the unit of work that records the code. */
export async function queueCode(
  mailer: CodeMailer,
  unit: UnitOfWork,
  tenant: TenantScope,
  { id, email, locale }: Row<'customers'>,
  { code, acceptLanguage }: { code: string; acceptLanguage: string | undefined },
): Promise<void> {
  await mailer.queue(unit, {
    kind: 'portal_code',
    customerId: id,
    recipient: email,
    language: chooseLanguage(locale, acceptLanguage),
    data: { sealed: tenant.seal(code), expiresAt: addMs(unit.now, codeLifetimeMs) },
  });
}

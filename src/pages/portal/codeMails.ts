/** The mails with the codes by which customers sign in. */
import { addMs } from '../../lib/time.ts';
import { chooseLanguage } from '../../lib/language.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { codeLifetimeMs } from '../../access/portal/codes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { Mailer, Service } from '../../tenancy/service.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/** Returns the queue of mails, if the tenant sends any: the customers of a test tenant are never written to. */
export const findMailer = (
  { mailer }: Pick<Service, 'mailer'>,
  tenant: Row<'tenants'>,
): Mailer | undefined => (mailer.isOn(tenant) ? mailer : undefined);

/** Queues the mail with a code for a customer, in the unit of work that records the code. */
export async function queueCode(
  mailer: Mailer,
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

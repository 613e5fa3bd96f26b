/** Signed reports of access points about the e-invoices of a tenant. */
import * as z from 'zod';
import { longestMessage, recordSignedReport } from '../../billing/invoices/eInvoices.ts';
import { refuse } from '../../lib/errors.ts';
import { verifySignature } from '../../lib/signedMessages.ts';
import { toInstant } from '../../lib/time.ts';
import { parseInput } from '../../lib/validation.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantParts } from '../../tenancy/service.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findTenant } from '../../tenancy/tenants.ts';
import { listCallbackSecrets } from '../../tenants/callbackSecret.ts';
import { findAccount, type AccountRow } from '../../tenants/providerAccounts.ts';
import { longestReference, toLine } from './answer.ts';

/** A report whose signature is right. */
interface VerifiedReport {
  tenant: TenantScope;
  reportId: string;
}

/**
 * Verifies that a body was signed by the access point of a tenant. Errors: `route_not_found` without an access point that has a
 * secret to sign with, `validation_failed` for a wrong or old signature, `unavailable` if the secret cannot be decrypted now.
 */
export async function verifyReport(
  service: TenantParts,
  alias: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): Promise<VerifiedReport> {
  const record = await findTenant(service, alias);
  const account = record && (await findAccount(service, record, 'access_point'));
  if (!record || !account?.callbackSecret) return refuse('route_not_found');
  const reportId = verifySignature(headers, body, openSecrets(service, account), service.clock.nowMs());
  return { tenant: openScheduledTenant(service, record, 'system:access_point'), reportId };
}

function openSecrets(service: TenantParts, account: AccountRow): string[] {
  const sealed = listCallbackSecrets(account, toInstant(service.clock.nowMs()));
  try {
    return sealed.map((each) => service.secretBox.open(each, account.tenantAlias));
  } catch {
    // The access point repeats its report.
    return refuse('unavailable');
  }
}

const line = (most: number) =>
  z
    .string('must be a text')
    .nullish()
    .transform((text) => toLine(text ?? '', most));

const reportFields = z.object({
  key: z
    .string('must be the key of the call')
    .regex(/^(?:inv|cn)_[0-9A-Za-z]{1,40}(?:-[1-9]\d{0,8})?$/, 'must be the Idempotency-Key of the call'),
  status: z.enum(['accepted', 'rejected'], 'must be accepted or rejected'),
  reference: line(longestReference),
  message: line(longestMessage),
});

/** Records a verified report; returns whether it is new. Errors: `validation_failed`, `invoice_not_found`. */
export function recordReport({ tenant, reportId }: VerifiedReport, body: unknown): Promise<boolean> {
  const report = parseInput(reportFields, body);
  return tenant.write((unit) => recordSignedReport(unit, { ...report, reportId }));
}

import type { Queries } from '../../storage/query/queries.ts';
import { openAccount, type AccountRow } from '../../tenants/providerAccounts.ts';
import type { Service } from '../../tenancy/service.ts';

/**
 * Checks that the tenant's own accounts work: that their secrets can be decrypted, if there is a key, and that the last
 * call succeeded.
 */
export async function examineAccounts(
  service: Pick<Service, 'secretBox'>,
  queries: Queries,
  tenantAlias: string,
  blame: (fault: { subject: string; found: string }) => void,
): Promise<void> {
  for (const account of await queries.select('accounts', { where: { tenantAlias }, orderBy: ['id'] })) {
    const { id: subject, failedAt, failure } = account;
    if (service.secretBox.hasKey() && !canOpen(service, account))
      blame({ subject, found: 'has secrets that the key of this server cannot decrypt' });
    if (failedAt !== null) blame({ subject, found: `has failed at ${failedAt}: ${failure}` });
  }
}

function canOpen(service: Pick<Service, 'secretBox'>, account: AccountRow): boolean {
  try {
    openAccount(service, account);
    const { tenantAlias, callbackSecret } = account;
    if (callbackSecret !== null) service.secretBox.open(callbackSecret, tenantAlias);
    return true;
  } catch {
    return false;
  }
}

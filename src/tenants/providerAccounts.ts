/** Reading the tenant's own accounts at payment providers, mail servers and access points, which replace those of the server. */
import { toInstant } from '../lib/time.ts';
import type { ChargingProvider } from '../providers/list.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Service, Stored, Writing } from '../tenancy/service.ts';
import { transact, type TenantRow } from '../tenancy/tenants.ts';
import { minuteMs } from '../lib/durations.ts';

export type AccountRow = Row<'accounts'>;

/** The servers at which a tenant can have its own account: payment providers, a mail server, and an access point of e-invoices. */
export type AccountProvider = ChargingProvider | 'smtp' | 'access_point';

/** Whether an account is one at a payment provider. */
export const isCharging = (id: string): boolean => id !== 'smtp' && id !== 'access_point';

/** The failure of an account whose secrets are sealed with another key. */
export const unreadable = 'The secrets of the account cannot be decrypted with the key of this server.';

/** An account with its secrets, to be used at once and never stored or logged. */
export interface OpenAccount {
  provider: AccountProvider;
  settings: Record<string, string>;
  secrets: Record<string, string>;
}

/** Returns the tenant's own account at a provider, or undefined. */
export async function findAccount(
  { store }: Stored,
  { alias: tenantAlias }: TenantRow,
  id: AccountProvider,
): Promise<AccountRow | undefined> {
  return (await store.fresh.select('accounts', { where: { tenantAlias, id }, limit: 1 }))[0];
}

/** Decrypts the secrets of an account. Throws an Error if the server's key cannot decrypt them. */
export function openAccount({ secretBox }: Pick<Service, 'secretBox'>, row: AccountRow): OpenAccount {
  const secrets = JSON.parse(secretBox.open(row.secrets, row.tenantAlias)) as Record<string, string>;
  return { provider: row.id as AccountProvider, settings: row.settings, secrets };
}

/**
 * Returns the tenant's own account at a provider with its secrets, or undefined if it has none. Throws an Error if the
 * server's key cannot decrypt them: the account then counts as unreachable.
 */
export async function readAccount(
  service: Stored & Pick<Service, 'secretBox'>,
  tenant: TenantRow,
  provider: AccountProvider,
): Promise<OpenAccount | undefined> {
  const row = await findAccount(service, tenant, provider);
  return row && openAccount(service, row);
}

const failureEveryMs = minuteMs;
const longestFailure = 200;

/**
 * Records that a call with the tenant's own account failed, at most once a minute, or clears an earlier failure with
 * null. `failure` must not contain a secret. An account that was removed or replaced meanwhile changes nothing.
 */
export async function recordAccountResult(
  service: Writing,
  account: Pick<AccountRow, 'tenantAlias' | 'id' | 'secrets' | 'failedAt'>,
  failure: string | null,
): Promise<void> {
  const nowMs = service.clock.nowMs();
  if (!isNews(account, failure, nowMs)) return;
  const origin = { traceId: service.ids.traceId(), executorId: 'system:accounts' };
  const { tenantAlias, id, secrets } = account;
  const failedAt = failure === null ? null : toInstant(nowMs);
  const changes = { failedAt, failure: failure?.slice(0, longestFailure) ?? null };
  await transact(service, tenantAlias, origin, async (unit) => {
    const row = await unit.one('accounts', { id, secrets });
    if (row && isNews(row, failure, nowMs)) await unit.updateUntraced('accounts', { id }, changes);
  });
}

const isNews = (
  { failedAt }: Pick<AccountRow, 'failedAt'>,
  failure: string | null,
  nowMs: number,
): boolean =>
  failure === null ? failedAt !== null : failedAt === null || nowMs - Date.parse(failedAt) >= failureEveryMs;

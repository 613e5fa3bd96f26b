/** The secret with which the access point of a tenant signs what it reports. */
import { refuse } from '../lib/errors.ts';
import { createSecret, listValidSecrets, parseOverlap } from '../lib/signedMessages.ts';
import { addMs } from '../lib/time.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { AccountProvider, AccountRow } from './providerAccounts.ts';

/** An account with a secret to be shown once, encrypted until then. */
export interface AccountWithSecret {
  account: AccountRow;
  sealedSecret: string;
}

interface NewCallbackSecret {
  provider: AccountProvider;
  overlapSeconds?: number | null;
}

/**
 * Creates the secret with which the access point signs its reports. The one before it is taken for `overlapSeconds` more
 * (default: a day; at most a week). Errors: `account_not_found`, `validation_failed`.
 */
export async function createCallbackSecret(
  tenant: TenantScope,
  { provider, overlapSeconds }: NewCallbackSecret,
): Promise<AccountWithSecret> {
  if (provider !== 'access_point')
    refuse('validation_failed', { path: 'provider', message: 'must be access_point' });
  const overlapMs = parseOverlap(overlapSeconds, 0);
  const secret = createSecret(tenant.randomBytes);
  const callbackSecret = tenant.seal(secret);
  // Signatures are checked by the service's time, also for a tenant with a clock of its own.
  const previousCallbackSecretUntil = addMs(tenant.serviceNow(), overlapMs);
  const account = await tenant.write(async (unit) => {
    const id = provider;
    const known = (await unit.one('accounts', { id })) ?? refuse('account_not_found');
    const settings = { ...known.settings, callbackSecret: `…${secret.slice(-4)}` };
    const changes = {
      settings,
      callbackSecret,
      previousCallbackSecret: known.callbackSecret,
      previousCallbackSecretUntil: known.callbackSecret === null ? null : previousCallbackSecretUntil,
    };
    await unit.updateUntraced('accounts', { id }, changes);
    await unit.recordEvent('tenants', unit.tenant, 'account_configured', { provider, ...settings });
    return { ...known, ...changes };
  });
  return { account, sealedSecret: account.callbackSecret };
}

type Kept = Pick<
  AccountRow,
  'settings' | 'callbackSecret' | 'previousCallbackSecret' | 'previousCallbackSecretUntil'
>;

/**
 * Returns the new settings of an account with the secret of its callbacks. It is kept as long as the same host is called: another
 * access point must not report what the one before it can sign.
 */
export function keepCallbackSecret(known: AccountRow | undefined, settings: Record<string, string>): Kept {
  const shown = known?.settings['callbackSecret'];
  const isSame =
    known !== undefined &&
    shown !== undefined &&
    new URL(known.settings['url']!).host === new URL(settings['url']!).host;
  if (!isSame)
    return {
      settings,
      callbackSecret: null,
      previousCallbackSecret: null,
      previousCallbackSecretUntil: null,
    };
  const { callbackSecret, previousCallbackSecret, previousCallbackSecretUntil } = known;
  return {
    settings: { ...settings, callbackSecret: shown },
    callbackSecret,
    previousCallbackSecret,
    previousCallbackSecretUntil,
  };
}

/** Returns the sealed secrets that a report may be signed with at the service's time. */
export const listCallbackSecrets = (
  { callbackSecret, previousCallbackSecret, previousCallbackSecretUntil }: AccountRow,
  now: string,
): string[] => listValidSecrets(callbackSecret, previousCallbackSecret, previousCallbackSecretUntil, now);

/** Payment providers that use a tenant's own accounts. */
import { BillingError } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { OpenProvider } from '../providers/account.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import { buildUnreachableProvider } from '../providers/registry.ts';
import {
  isCharging,
  openAccount,
  recordAccountResult,
  unreadable,
  type AccountRow,
} from './providerAccounts.ts';
import type { AccountParts, AccountProviders } from '../tenancy/service.ts';

// Clients of providers keep connections open, so they are kept: by their encrypted secrets, which no two accounts share.
const mostOpen = 1000;

/** Creates what opens the accounts of tenants at payment providers, and keeps them open. */
export function createAccountProviders(open: OpenProvider): AccountProviders {
  const kept = new Map<string, Promise<PaymentProvider>>();
  const keepOpen = (parts: AccountParts, row: AccountRow): Promise<PaymentProvider> => {
    const known = kept.get(row.secrets);
    if (known) return known;
    const opened = open({ ...openAccount(parts, row), tenantAlias: row.tenantAlias });
    if (kept.size === mostOpen) kept.delete(kept.keys().next().value!);
    kept.set(row.secrets, opened);
    return opened;
  };
  const openOne = async (parts: AccountParts, row: AccountRow): Promise<PaymentProvider> => {
    try {
      return watchFailures(parts, row, await keepOpen(parts, row));
    } catch {
      return watchFailures(parts, row, buildUnreachableProvider(row.id, unreadable));
    }
  };
  const load: AccountProviders['load'] = async (parts, { alias }) => {
    const { charging } = parts.payments;
    const rows = await parts.store.fresh.select('accounts', { where: { tenantAlias: alias } });
    const paying = rows.filter(({ id }) => isCharging(id));
    if (paying.length === 0) return charging;
    const own = await Promise.all(paying.map((row) => openOne(parts, row)));
    return [...own, ...charging.filter(({ name }) => own.every((each) => each.name !== name))];
  };
  return { load, open: openOne };
}

/** Returns the same provider; calls that fail are recorded in the account, and the next success clears the failure. */
function watchFailures(parts: AccountParts, row: AccountRow, provider: PaymentProvider): PaymentProvider {
  const watch = async <Outcome>(call: () => MaybePromise<Outcome>): Promise<Outcome> => {
    const outcome = (async () => call())();
    const failure = await outcome.then(() => null, describeFailure);
    // The outcome of the call counts, even if the note cannot be written.
    if (failure !== undefined) await recordAccountResult(parts, row, failure).catch(() => undefined);
    return outcome;
  };
  return {
    ...provider,
    start: (charge, method) => watch(() => provider.start(charge, method)),
    resume: (charge, reference) => watch(() => provider.resume(charge, reference)),
    charge: (charge, methodReference) => watch(() => provider.charge(charge, methodReference)),
    refund: (refund) => watch(() => provider.refund(refund)),
    ...(provider.abandon && {
      abandon: (charge, reference) => watch(() => provider.abandon!(charge, reference)),
    }),
    ...(provider.check && { check: () => watch(() => provider.check!()) }),
    ...(provider.detach && { detach: (reference) => watch(() => provider.detach!(reference)) }),
    ...(provider.readCallback && {
      readCallback: (headers, body) => watch(() => provider.readCallback!(headers, body)),
    }),
  };
}

/** Describes a failure without the message of the provider, which may contain part of a key. */
function describeFailure(error: unknown): string | undefined {
  if (error instanceof BillingError) return undefined;
  const { message, type, code, name, statusCode } = error as Record<string, unknown>;
  if (message === unreadable) return unreadable;
  const words = [type ?? name, code, statusCode].filter(
    (each) => typeof each === 'number' || (typeof each === 'string' && /^[\w-]{1,60}$/.test(each)),
  );
  return words.join(' ') || 'unknown';
}

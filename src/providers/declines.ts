/** What the declines of providers mean. Each provider declares its own in its folder. */
import { declineCodes, type DeclineCode } from '../lib/declineCodes.ts';
import type { DeclineTable } from './descriptor.ts';
import { providers } from './list.ts';

/** The reasons that this server gives itself, for any provider. */
const ownReasons: DeclineTable = {
  authentication_required: ['action_required'],
  no_payment_method: [
    'no_payment_method',
    'unknown_payment_method',
    'sandbox_method_on_live_tenant',
    'live_provider_on_test_tenant',
  ],
};

const listEntries = (table: DeclineTable) =>
  Object.entries(table).flatMap(([code, reasons]) =>
    reasons.map((reason) => [reason, code as DeclineCode] as const),
  );

const codesByProvider = new Map(
  providers.map(({ name, declines = {} }) => [name, new Map(listEntries(declines))]),
);

/** A provider may return codes of ours as they are. */
const ownCodes = new Map([
  ...Object.keys(declineCodes).map((code) => [code, code as DeclineCode] as const),
  ...listEntries(ownReasons),
]);

/** Returns the code of a decline from the provider's reason; `declined` for reasons that are not known. */
export const findDeclineCode = (provider: string, reason: string): DeclineCode =>
  codesByProvider.get(provider)?.get(reason) ?? ownCodes.get(reason) ?? 'declined';

/** Whether a provider's decline is final: another charge of the same payment method cannot succeed. */
export const isHardDecline = (provider: string, reason: string): boolean =>
  providers.find(({ name }) => name === provider)?.hardDeclines?.has(reason) ?? false;

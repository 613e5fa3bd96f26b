import { providers } from './list.ts';

/** Whether a provider's decline is final: another charge of the same payment method cannot succeed. */
export const isHardDecline = (provider: string, reason: string): boolean =>
  providers.find(({ name }) => name === provider)?.hardDeclines?.has(reason) ?? false;

import type { ProviderKind } from './descriptor.ts';
import { manual } from './manual.ts';
import { mollie } from './mollie/index.ts';
import { sandbox } from './sandbox.ts';
import { stripe } from './stripe/index.ts';

/** The providers that charge. A new one is a folder, and a word in this line. */
export const chargingProviders = [stripe, mollie] as const;

export type ChargingProvider = (typeof chargingProviders)[number]['name'];

export const providers: readonly ProviderKind[] = [manual, sandbox, ...chargingProviders];

/** What a tenant may offer to its payers; the sandbox comes with test tenants. */
export const choosableNames = [...chargingProviders.map(({ name }) => name), manual.name];

/** Lists what a tenant may offer: `stripe, mollie or manual`. */
export const listChoosable = (conjunction: 'and' | 'or'): string =>
  `${choosableNames.slice(0, -1).join(', ')} ${conjunction} ${manual.name}`;

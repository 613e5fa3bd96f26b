import type { ProviderKind } from './descriptor.ts';
import { chargingProviders } from './charging.ts';
import { manual } from './manual.ts';
import { sandbox } from './sandbox.ts';

export { chargingProviders };

export type ChargingProvider = (typeof chargingProviders)[number]['name'];

export const providers: readonly ProviderKind[] = [manual, sandbox, ...chargingProviders];

/** What a tenant may offer to its payers; the sandbox comes with test tenants. */
export const choosableNames = [...chargingProviders.map(({ name }) => name), manual.name];

/** Lists what a tenant may offer: `stripe, mollie or manual`. */
export const listChoosable = (conjunction: 'and' | 'or'): string =>
  `${choosableNames.slice(0, -1).join(', ')} ${conjunction} ${manual.name}`;

import type { VariablesOf } from '../../data/graphql.ts';
import type { TestAccount } from './accountQuery.ts';
import { providerAccounts } from './providerAccounts.ts';

/** An access point of e-invoices has a form of its own. */
export type AccountName = Exclude<VariablesOf<typeof TestAccount>['provider'], 'access_point'>;
type ChargingName = keyof typeof providerAccounts;
export type FieldName =
  (typeof providerAccounts)[ChargingName]['fields'][number]['name'] | 'url' | 'fromAddress';

interface AccountKind {
  fields: readonly { name: FieldName; isSecret?: true; isOptional?: true; example: string }[];
  /** Whether the tenant enters the address for webhooks at the provider. */
  needsEndpoint?: true;
}

/** What an account consists of, by payment provider or mail server, in the order in which they are shown. */
export const accountKinds: Record<ChargingName, AccountKind & { title: string }> & { smtp: AccountKind } = {
  ...providerAccounts,
  smtp: {
    fields: [
      { name: 'url', isSecret: true, example: 'smtps://user:password@mail.example.com:465' },
      { name: 'fromAddress', example: 'billing@example.com' },
    ],
  },
};

/** The payment providers at which a tenant can have an account. */
export const chargingNames = Object.keys(providerAccounts) as ChargingName[];

/** Returns the name of a payment provider or mail server. */
export const nameProvider = (
  name: AccountName | 'manual',
  texts: { smtp: string; manual: string },
): string => (name === 'smtp' || name === 'manual' ? texts[name] : accountKinds[name].title);

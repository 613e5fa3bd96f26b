import type { VariablesOf } from '../../data/graphql.ts';
import type { TestAccount } from './accountQuery.ts';

export type AccountName = VariablesOf<typeof TestAccount>['provider'];
type ChargingName = Exclude<AccountName, 'smtp'>;
export type FieldName = 'secretKey' | 'publishableKey' | 'webhookSecret' | 'apiKey' | 'url' | 'fromAddress';

interface AccountKind {
  fields: readonly { name: FieldName; isSecret?: true; isOptional?: true; example: string }[];
  /** Whether the tenant enters the address for webhooks at the provider. */
  needsEndpoint?: true;
}

/** What an account consists of, by payment provider or mail server, in the order in which they are shown. */
export const accountKinds: Record<ChargingName, AccountKind & { title: string }> & { smtp: AccountKind } = {
  stripe: {
    title: 'Stripe',
    fields: [
      { name: 'secretKey', isSecret: true, example: 'sk_…' },
      { name: 'publishableKey', isOptional: true, example: 'pk_…' },
      { name: 'webhookSecret', isSecret: true, example: 'whsec_…' },
    ],
    needsEndpoint: true,
  },
  mollie: { title: 'Mollie', fields: [{ name: 'apiKey', isSecret: true, example: 'live_…' }] },
  smtp: {
    fields: [
      { name: 'url', isSecret: true, example: 'smtps://user:password@mail.example.com:465' },
      { name: 'fromAddress', example: 'billing@example.com' },
    ],
  },
};

/** The payment providers at which a tenant can have an account. */
export const chargingNames = Object.keys(accountKinds).filter(
  (name): name is ChargingName => name !== 'smtp',
);

/** Returns the name of a payment provider or mail server. */
export const nameProvider = (
  name: AccountName | 'manual',
  texts: { smtp: string; manual: string },
): string => (name === 'smtp' || name === 'manual' ? texts[name] : accountKinds[name].title);

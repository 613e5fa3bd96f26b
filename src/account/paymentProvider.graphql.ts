import { registerEnumType } from 'type-graphql';

export const PaymentProvider = {
  manual: 'manual',
  sandbox: 'sandbox',
  stripe: 'stripe',
  mollie: 'mollie',
} as const;
registerEnumType(PaymentProvider, {
  name: 'PaymentProvider',
  description: 'A payment provider.',
  valuesConfig: {
    manual: { description: 'Bank transfer or cash, recorded by an operator.' },
    sandbox: { description: 'Test payment methods that move no money; for test tenants only.' },
    stripe: { description: 'Stripe.' },
    mollie: { description: 'Mollie.' },
  },
});

import { registerEnumType } from 'type-graphql';
import { providers } from '../providers/list.ts';

export const PaymentProvider = Object.fromEntries(providers.map(({ name }) => [name, name]));
registerEnumType(PaymentProvider, {
  name: 'PaymentProvider',
  description: 'A payment provider.',
  valuesConfig: Object.fromEntries(providers.map(({ name, description }) => [name, { description }])),
});

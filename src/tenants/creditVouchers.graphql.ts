import { registerEnumType } from 'type-graphql';

/** The kinds of vouchers of Directive (EU) 2016/1065. */
export const CreditVouchers = { multi_purpose: 'multi_purpose', single_purpose: 'single_purpose' } as const;
registerEnumType(CreditVouchers, {
  name: 'CreditVouchers',
  description: 'The kinds of vouchers that credit is sold as, by Directive (EU) 2016/1065.',
  valuesConfig: {
    multi_purpose: { description: 'Its sale bears no tax; it pays the total of bills with their tax.' },
    single_purpose: { description: 'Its sale bears the tax; it lowers bills before tax.' },
  },
});

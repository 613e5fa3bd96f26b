import { registerEnumType } from 'type-graphql';

export const TrialEndWithoutMethod = { cancel: 'cancel', pause: 'pause' } as const;
registerEnumType(TrialEndWithoutMethod, {
  name: 'TrialEndWithoutMethod',
  description: 'What happens to a subscription whose trial ends without a payment method.',
  valuesConfig: {
    cancel: { description: 'It is cancelled.' },
    pause: { description: 'It is paused until a payment method is set and it is resumed.' },
  },
});

export const VatIdCheckPolicy = { draft: 'draft', rate: 'rate', accept: 'accept' } as const;
registerEnumType(VatIdCheckPolicy, {
  name: 'VatIdCheckPolicy',
  description: 'What happens to a bill whose tax depends on a VAT id while VIES does not answer.',
  valuesConfig: {
    draft: { description: 'It stays a draft until VIES answers. A payer who pays at once pays the tax.' },
    rate: { description: 'It is taxed at the rate of the place.' },
    accept: {
      description:
        'It is charged in reverse by the form of the id. An id that VIES does not know is taxed from its answer on.',
    },
  },
});

import { registerEnumType } from 'type-graphql';

export const TaxTreatments = {
  domestic: 'domestic',
  one_stop_shop: 'one_stop_shop',
  intra_community: 'intra_community',
  foreign: 'foreign',
} as const;
registerEnumType(TaxTreatments, {
  name: 'TaxTreatment',
  description: 'The return that a sale belongs to, from the country of the seller as it is now.',
  valuesConfig: {
    domestic: { description: 'The return of the country of the seller.' },
    one_stop_shop: {
      description:
        'Taxed in another member state of the European Union: the return of the one-stop shop (OSS).',
    },
    intra_community: {
      description:
        'For a business of another member state, which owes the tax: the recapitulative statement (EC sales list).',
    },
    foreign: { description: 'Outside of the scope of the seller’s VAT, or taxed in another country.' },
  },
});

export const TaxReturnKinds = { plain: 'plain', oss: 'oss', ustva: 'ustva', ca3: 'ca3' } as const;
registerEnumType(TaxReturnKinds, {
  name: 'TaxReturnKind',
  description: 'A tax return.',
  valuesConfig: {
    plain: { description: 'A list of everything that was taxed, by treatment, country, rate and reason.' },
    oss: {
      description:
        'The one-stop shop, Union scheme, of a seller in the European Union: by member state of consumption and rate, with the ' +
        'corrections of earlier quarters. Supplies from fixed establishments and warehouses in other member states are not told apart.',
    },
    ustva: {
      description:
        'The sales of the German Umsatzsteuer-Voranmeldung (USt 1 A 2026), of a seller in Germany: the lines are its Kennzahlen. ' +
        'Taxable amounts are cut to whole euros; the tax of 81 and 86 is computed from them, as the form does.',
    },
    ca3: {
      description:
        'The sales of the French return 3310-CA3, of a seller in France: its lines, rounded to whole euros. A1 is not a row: it is the ' +
        'sum of the taxable amounts of the lines 08 to 14 and T.',
    },
  },
});

export const TaxReturnLeftOut = {
  other_currency: 'other_currency',
  unknown_country: 'unknown_country',
  exempt: 'exempt',
  exempt_seller: 'exempt_seller',
  outside_scope: 'outside_scope',
  one_stop_shop: 'one_stop_shop',
  not_one_stop_shop: 'not_one_stop_shop',
} as const;
registerEnumType(TaxReturnLeftOut, {
  name: 'TaxReturnLeftOut',
  description: 'Why a return does not take an amount.',
  valuesConfig: {
    other_currency: { description: 'Not used any more: amounts in other currencies are converted.' },
    unknown_country: { description: 'The country whose tax applies is not known any more, or the seller’s.' },
    exempt: { description: 'It is exempt or has no tax, which the return does not ask for.' },
    exempt_seller: { description: 'The seller is exempt and does not declare it here.' },
    outside_scope: { description: 'It is outside of the scope of VAT.' },
    one_stop_shop: { description: 'It belongs to the return of the one-stop shop.' },
    not_one_stop_shop: { description: 'It does not belong to the return of the one-stop shop.' },
  },
});

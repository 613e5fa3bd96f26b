import { registerEnumType } from 'type-graphql';

export const TaxCategory = { S: 'S', Z: 'Z', E: 'E', AE: 'AE', K: 'K', G: 'G', O: 'O' } as const;
registerEnumType(TaxCategory, {
  name: 'TaxCategory',
  description: 'A VAT category of EN 16931 (UNTDID 5305).',
  valuesConfig: {
    S: { description: 'Taxed at a rate above 0.' },
    Z: { description: 'Taxed at 0 percent.' },
    E: { description: 'Exempt.' },
    AE: { description: 'Reverse charge: the buyer owes the tax.' },
    K: { description: 'Goods for a business of another member state.' },
    G: { description: 'Goods for a country outside the European Union.' },
    O: { description: 'Outside the scope of VAT.' },
  },
});

export const TaxReason = {
  reverse_charge: 'reverse_charge',
  intra_community: 'intra_community',
  export: 'export',
  exempt_customer: 'exempt_customer',
  exempt_seller: 'exempt_seller',
  exempt: 'exempt',
  outside_scope: 'outside_scope',
  zero_rated: 'zero_rated',
} as const;
registerEnumType(TaxReason, {
  name: 'TaxReason',
  description: 'Why no tax is charged.',
  valuesConfig: {
    reverse_charge: { description: 'The customer is a business of another member state and owes the tax.' },
    intra_community: { description: 'A supply to another member state of the European Union.' },
    export: { description: 'An export outside of the European Union.' },
    exempt_customer: { description: 'The customer is exempt.' },
    exempt_seller: { description: 'The seller is exempt, for example as a small business.' },
    exempt: { description: 'The tax rate is one for exempt sales.' },
    outside_scope: { description: 'The tax does not apply at the place of the customer.' },
    zero_rated: { description: 'The tax rate is 0.' },
  },
});

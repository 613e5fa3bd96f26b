import { registerEnumType } from 'type-graphql';

export const ProductKind = {
  electronic_service: 'electronic_service',
  service: 'service',
  service_on_site: 'service_on_site',
  goods: 'goods',
} as const;
registerEnumType(ProductKind, {
  name: 'ProductKind',
  description:
    'What a product is, by which sellers in the European Union find the place where its sale is taxed.',
  valuesConfig: {
    electronic_service: {
      description:
        'Software, access, downloads, telecommunication: taxed at the customer, also a private one (article 58).',
    },
    service: {
      description:
        'Another service, such as consulting: taxed at the customer if that is a business (article 44), at the seller for private ' +
        'customers (article 45). Outside of the Union a customer with a company name or a tax id is a business.',
    },
    service_on_site: {
      description:
        'A service at a place of the seller, such as a desk, a meal or an event: taxed at the seller (articles 47 to 55).',
    },
    goods: {
      description:
        'Goods that are sent: taxed where they arrive (article 33); exempt for businesses of other member states (138) and as an export ' +
        '(146).',
    },
  },
});

/** The options of the field of a product, and of its inputs. */
export const kindField = {
  nullable: true,
  description: 'What is sold, which decides where it is taxed; null for an electronic service.',
};
export const givenKind = {
  nullable: true,
  description: 'What is sold, which decides where it is taxed; null for as an electronic service.',
};

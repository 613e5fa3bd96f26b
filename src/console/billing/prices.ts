import { PriceFields, type PriceData } from '../data/fragments.ts';
import { graphql, type ResultOf } from '../data/graphql.ts';

/** The catalogue, from which a plan or an add-on is chosen. */
export const PricesQuery = graphql(
  `
    query PricesToChoose {
      products(first: 50, active: true) {
        nodes {
          id
          name
          groupId
          prices {
            ...PriceFields
          }
        }
      }
    }
  `,
  [PriceFields],
);

export type ProductToChoose = NonNullable<ResultOf<typeof PricesQuery>['products']>['nodes'][number];

/** A price that can be chosen. */
export interface PriceChoice {
  id: string;
  label: string;
  model: string;
}

/** A price of the catalogue with its product. */
export interface PriceToChoose {
  product: ProductToChoose;
  price: PriceData;
  choice: PriceChoice;
}

/** Lists the prices of products. `writePrice` puts one into words. */
export const listPrices = (
  products: readonly ProductToChoose[],
  writePrice: (price: PriceData) => string,
): PriceToChoose[] =>
  products.flatMap((product) =>
    product.prices.map((price) => {
      const { id, model, nickname } = price;
      return {
        product,
        price,
        choice: { id, model, label: `${nickname ?? product.name}: ${writePrice(price)}` },
      };
    }),
  );

interface MainPrice {
  productId: string;
  currency: string;
  recurring: PriceData['recurring'] | undefined;
}

/** Lists the prices that can be added to a main price: of other products, with its currency and interval. */
export const listAddOns = (all: PriceToChoose[], main: MainPrice): PriceChoice[] =>
  all
    .filter(
      ({ product, price: { recurring, details } }) =>
        product.id !== main.productId &&
        details.currency === main.currency &&
        recurring.frequency === main.recurring?.frequency &&
        recurring.period === main.recurring.period,
    )
    .map(({ choice }) => choice);

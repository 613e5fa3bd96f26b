import { PriceFields, type PriceData } from '../data/fragments.ts';
import { graphql, type FragmentOf } from '../data/graphql.ts';
import { useLoad } from '../data/query.tsx';
import type { FindChoices } from '../design/choices.ts';
import type { Choice } from '../design/Field.tsx';
import { usePriceWords } from '../texts/prices.ts';

/** A product with the prices from which a plan or an add-on is chosen. */
export const ProductToChoose = graphql(
  `
    fragment ProductToChoose on Product {
      id
      name
      active
      groupId
      prices(active: true) {
        ...PriceFields
      }
    }
  `,
  [PriceFields],
);

/** The catalogue, from which a plan or an add-on is chosen. */
export const PricesQuery = graphql(
  `
    query PricesToChoose($name: String, $groupId: ID) {
      products(first: 50, active: true, name: $name, groupId: $groupId) {
        pageInfo {
          hasNextPage
        }
        nodes {
          ...ProductToChoose
        }
      }
    }
  `,
  [ProductToChoose],
);

type Product = FragmentOf<typeof ProductToChoose>;

/** A price that can be chosen. */
export interface PriceChoice extends Choice {
  model: string;
}

/** A price of the catalogue with its product. */
export interface PriceToChoose extends PriceChoice {
  product: Product;
  price: PriceData;
}

/** Lists the prices of products. `writePrice` puts one into words. */
export const listPrices = (
  products: readonly Product[],
  writePrice: (price: PriceData) => string,
): PriceToChoose[] =>
  products.flatMap((product) =>
    product.prices.map((price) => {
      const { id, model, nickname } = price;
      const name = nickname === null ? product.name : `${product.name} (${nickname})`;
      return { value: id, label: `${name}: ${writePrice(price)}`, model, product, price };
    }),
  );

/** Returns a function that finds the prices of products by a part of the product's name. */
export function useFindPrices(groupId: string | null = null): FindChoices<PriceToChoose> {
  const load = useLoad();
  const { writePrice } = usePriceWords();
  return async (text) => {
    const { products } = await load(PricesQuery, { name: text || null, groupId });
    return {
      choices: listPrices(products?.nodes ?? [], writePrice),
      hasMore: products?.pageInfo.hasNextPage ?? false,
    };
  };
}

interface MainPrice {
  productId: string;
  groupId?: string | null | undefined;
  currency: string;
  recurring: PriceData['recurring'] | undefined;
}

/** Whether a price can be added to a main price: of another product and group, with its currency and interval. */
export const isAddOn = (
  { product, price: { recurring, details } }: PriceToChoose,
  main: MainPrice,
): boolean =>
  product.id !== main.productId &&
  (!main.groupId || product.groupId !== main.groupId) &&
  details.currency === main.currency &&
  recurring.frequency === main.recurring?.frequency &&
  recurring.period === main.recurring.period;

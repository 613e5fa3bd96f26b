import { graphql } from '../data/graphql.ts';
import { useLoad } from '../data/query.tsx';
import type { FindChoices } from '../design/choices.ts';
import type { Choice } from '../design/Field.tsx';

const ProductsQuery = graphql(`
  query ProductsToChoose($name: String, $active: Boolean) {
    products(first: 50, name: $name, active: $active) {
      pageInfo {
        hasNextPage
      }
      nodes {
        id
        name
      }
    }
  }
`);

const ProductNameQuery = graphql(`
  query ProductName($id: ID!) {
    product(id: $id) {
      id
      name
    }
  }
`);

/** Returns functions that find products by a part of the name, and read the name of one. */
export function useProductChoices({ active }: { active?: boolean } = {}) {
  const load = useLoad();
  const find: FindChoices<Choice> = async (text) => {
    const { products } = await load(ProductsQuery, { name: text || null, active: active ?? null });
    return {
      choices: products?.nodes.map(({ id, name }) => ({ value: id, label: name })) ?? [],
      hasMore: products?.pageInfo.hasNextPage ?? false,
    };
  };
  const readLabel = async (id: string) => (await load(ProductNameQuery, { id })).product?.name;
  return { find, readLabel };
}

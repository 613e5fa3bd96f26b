import { PriceFields } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';
import type { SubscriptionData } from './query.ts';

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

/** A price that can be chosen. */
export interface PriceChoice {
  id: string;
  label: string;
  model: string;
}

interface PriceChoices {
  plans: PriceChoice[];
  addOns: PriceChoice[];
  all: PriceChoice[];
}

type Product = NonNullable<ResultOf<typeof PricesQuery>['products']>['nodes'][number];
type Price = Product['prices'][number];

/** Lists the prices of the product or its group, for the plan; and those with the same interval, for add-ons. */
export function listPriceChoices(
  data: ResultOf<typeof PricesQuery> | undefined,
  { productId, productName, priceId, product, agreedPrice, items }: SubscriptionData,
): PriceChoices {
  const main = items.find(({ isMain }) => isMain)?.price?.recurring;
  const every = (data?.products?.nodes ?? []).flatMap((each) =>
    each.prices
      .filter(({ details }) => details.currency === agreedPrice.currency)
      .map((price) => ({ product: each, price, choice: toChoice(each, price) })),
  );
  const isSibling = (each: Product) =>
    each.id === productId || (product?.groupId !== null && each.groupId === product?.groupId);
  const plans = every.filter((each) => isSibling(each.product)).map(({ choice }) => choice);
  const current = { id: priceId, label: productName, model: items[0]?.price?.model ?? 'flat' };
  const addOns = every.filter(
    ({ product: { id }, price: { recurring } }) =>
      id !== productId && recurring.frequency === main?.frequency && recurring.period === main.period,
  );
  const siblings = new Set(plans.map(({ id }) => id));
  return {
    plans: siblings.has(priceId) ? plans : [current, ...plans],
    addOns: addOns.map(({ choice }) => choice).filter(({ id }) => !siblings.has(id)),
    all: every.map(({ choice }) => choice),
  };
}

function toChoice({ name }: Product, { id, nickname, model, details, recurring }: Price): PriceChoice {
  const amount = Number(details.decimal) === 0 ? '' : ` ${details.decimal} ${details.currency.toUpperCase()}`;
  const unit = { Daily: 'd', Weekly: 'w', Monthly: 'm', Yearly: 'y' }[recurring.frequency];
  return { id, model, label: `${nickname ?? name} ·${amount} / ${recurring.period} ${unit}` };
}

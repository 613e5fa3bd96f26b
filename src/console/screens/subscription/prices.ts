import {
  isAddOn,
  listPrices,
  ProductToChoose,
  useFindPrices,
  type PriceChoice,
  type PriceToChoose,
} from '../../billing/prices.ts';
import { graphql, type FragmentOf } from '../../data/graphql.ts';
import { useLoad, useScreenQuery } from '../../data/query.tsx';
import type { FindChoices } from '../../design/choices.ts';
import { usePriceWords } from '../../texts/prices.ts';
import type { SubscriptionData } from './query.ts';

const OwnPricesQuery = graphql(
  `
    query OwnPrices($id: ID!) {
      subscription(id: $id) {
        id
        product {
          ...ProductToChoose
        }
      }
    }
  `,
  [ProductToChoose],
);

type Product = FragmentOf<typeof ProductToChoose>;

interface PlanChoices {
  /** The plan of today. */
  current: PriceChoice;
  /** Finds plans: prices of the group, or of the product if it has none. */
  findPlans: FindChoices<PriceChoice>;
  findAddOns: FindChoices<PriceToChoose>;
  allowsAddOn: (price: PriceToChoose) => boolean;
}

/** Returns the prices to which a subscription can change, and those that can be added. */
export function usePlanChoices(subscription: SubscriptionData): PlanChoices {
  const { id, productId, productName, priceId, product, agreedPrice, items } = subscription;
  const { currency } = agreedPrice;
  const groupId = product?.groupId ?? null;
  const main = items.find(({ isMain }) => isMain)?.price;
  const { writePrice } = usePriceWords();
  const { data } = useScreenQuery(OwnPricesQuery, { id });
  const load = useLoad();
  const list = (own: Product | null | undefined) => (own ? listPrices([own], writePrice) : []);
  const current: PriceChoice = list(data?.subscription?.product).find(({ value }) => value === priceId) ?? {
    value: priceId,
    label: productName,
    model: main?.model ?? 'flat',
  };
  const findInGroup = useFindPrices(groupId);
  const findAddOns = useFindPrices();
  const isInCurrency = ({ price }: PriceToChoose) => price.details.currency === currency;
  const findPlans: FindChoices<PriceChoice> = async (text) => {
    if (groupId) {
      const { choices, hasMore } = await findInGroup(text);
      return { choices: choices.filter(isInCurrency), hasMore };
    }
    const own = (await load(OwnPricesQuery, { id })).subscription?.product;
    const prices = own?.active ? list(own).filter(isInCurrency) : [current];
    const isFound = ({ label }: PriceChoice) => label.toLowerCase().includes(text.toLowerCase());
    return { choices: prices.filter(isFound), hasMore: false };
  };
  const allowsAddOn = (price: PriceToChoose) =>
    isAddOn(price, { productId, groupId, currency, recurring: main?.recurring });
  return { current, findPlans, findAddOns, allowsAddOn };
}

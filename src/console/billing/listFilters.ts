import { graphql } from '../data/graphql.ts';
import { dayMs } from '../data/periods.ts';
import { useLoad, useScreenQuery } from '../data/query.tsx';
import { useUrlValue } from '../data/url.ts';
import type { FindChoices } from '../design/choices.ts';
import type { Choice } from '../design/Field.tsx';
import type { Filter } from '../design/filters.tsx';
import { useTexts } from '../texts/language.tsx';
import { nameCustomer } from '../texts/names.ts';
import { CustomerName } from '../data/fragments.ts';
import { isDecimal, readDecimal } from '../texts/numbers.ts';
import { texts } from './texts.ts';

const CurrenciesQuery = graphql(`
  query ListCurrencies {
    revenueCurrencies
  }
`);

const CustomersQuery = graphql(
  `
    query CustomersToChoose($search: String) {
      customers(first: 20, search: $search) {
        pageInfo {
          hasNextPage
        }
        nodes {
          ...CustomerName
        }
      }
    }
  `,
  [CustomerName],
);

const CustomerNameQuery = graphql(
  `
    query CustomerToChoose($id: ID!) {
      customer(id: $id) {
        ...CustomerName
      }
    }
  `,
  [CustomerName],
);

const shortestSearch = 2;

/** Returns functions that find customers by a part of their texts, and read the name of one. */
function useCustomerChoices() {
  const load = useLoad();
  const find: FindChoices<Choice> = async (text) => {
    const { customers } = await load(CustomersQuery, { search: text.length < shortestSearch ? null : text });
    return {
      choices: customers?.nodes.map((each) => ({ value: each.id, label: nameCustomer(each) })) ?? [],
      hasMore: customers?.pageInfo.hasNextPage ?? false,
    };
  };
  const readLabel = async (id: string) => nameCustomer((await load(CustomerNameQuery, { id })).customer);
  return { find, readLabel };
}

/** Returns the day after a date; undefined for a text that is no date. */
function findNextDay(text: string): string | undefined {
  const start = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(start) ? undefined : new Date(start + dayMs).toISOString().slice(0, 10);
}

/** Returns the filters that lists of money share: by customer, date, currency and amount; the last day is inclusive. */
export function useListFilters(): { customer: Filter; dates: Filter[]; currency: Filter; amounts: Filter[] } {
  const t = useTexts(texts);
  const words = t.lists;
  const customers = useCustomerChoices();
  const currencies = useScreenQuery(CurrenciesQuery, {}, {}).data?.revenueCurrencies ?? [];
  const [chosen] = useUrlValue('currency');
  const currency = chosen || (currencies[0] ?? '');
  const parseAmount = (text: string) => {
    const decimal = readDecimal(text);
    return currency && isDecimal(decimal) ? { decimal, currency } : undefined;
  };
  return {
    customer: { name: 'customerId', label: t.customer, ...customers },
    dates: [
      {
        name: 'createdAfter',
        label: words.from,
        type: 'date',
        parse: (text) => (findNextDay(text) ? text : undefined),
      },
      { name: 'createdBefore', label: words.until, type: 'date', parse: findNextDay },
    ],
    currency: {
      name: 'currency',
      label: t.currency,
      choices: currencies.map((value) => ({ value, label: value.toUpperCase() })),
    },
    amounts: [
      { name: 'minAmount', label: words.atLeast(currency.toUpperCase()), parse: parseAmount },
      { name: 'maxAmount', label: words.atMost(currency.toUpperCase()), parse: parseAmount },
    ],
  };
}

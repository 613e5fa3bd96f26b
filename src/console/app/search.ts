import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { CustomerName } from '../data/fragments.ts';
import { graphql, type ResultOf } from '../data/graphql.ts';
import type { IconName } from '../design/Icon.tsx';
import { nameCustomer } from '../texts/names.ts';

const SearchQuery = graphql(
  `
    query Search($query: String!) {
      search(query: $query, first: 12) {
        nodeId
        type
        title
        detail
        parentId
        customer {
          ...CustomerName
        }
      }
    }
  `,
  [CustomerName],
);

type Found = NonNullable<ResultOf<typeof SearchQuery>['search']>[number];

/** A record that the search found. */
export interface Hit {
  id: string;
  title: string;
  detail: string;
  path: string;
  icon: IconName;
}

const pauseMs = 150;
const longestQuery = 200;

/** Searches the tenant's records for what somebody types. */
export function useSearch(text: string): { hits: Hit[]; searching: boolean } {
  const client = useClient();
  const [state, setState] = useState<{ hits: Hit[]; searching: boolean }>({ hits: [], searching: false });
  const wanted = text.trim();
  useEffect(() => {
    if (wanted.length < 2) {
      setState({ hits: [], searching: false });
      return undefined;
    }
    setState((before) => ({ ...before, searching: true }));
    let current = true;
    const search = async () => {
      const { data } = await client.query(SearchQuery, { query: wanted.slice(0, longestQuery) }).toPromise();
      if (current) setState({ hits: (data?.search ?? []).map(toHit), searching: false });
    };
    const timer = setTimeout(() => void search(), pauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, wanted]);
  return state;
}

/** Where the records of each type are, and their icon. */
const places: Record<Found['type'], [icon: IconName, getPath: (found: Found) => string]> = {
  customer: ['customers', ({ nodeId }) => `/customers/${nodeId}`],
  subscription: ['subscriptions', ({ nodeId }) => `/subscriptions/${nodeId}`],
  invoice: ['invoices', ({ nodeId }) => `/invoices/${nodeId}`],
  intent: [
    'subscriptions',
    ({ parentId, customer }) => (parentId ? `/subscriptions/${parentId}` : `/customers/${customer?.id}`),
  ],
  payment: [
    'payments',
    ({ parentId, customer }) => (parentId ? `/invoices/${parentId}` : `/customers/${customer?.id}`),
  ],
  payment_method: ['payments', ({ parentId }) => `/customers/${parentId}`],
  credit_note: ['invoices', ({ nodeId }) => `/credit-notes/${nodeId}`],
  product: ['catalog', ({ nodeId }) => `/catalog/${nodeId}`],
  price: ['catalog', ({ nodeId, parentId }) => `/catalog/${parentId}/prices/${nodeId}`],
  coupon: ['coupons', ({ nodeId }) => `/coupons/${nodeId}`],
  promotion_code: ['coupons', ({ parentId }) => `/coupons/${parentId}`],
  webhook_endpoint: ['webhooks', ({ nodeId }) => `/webhooks/${nodeId}`],
  mail: ['mail', ({ nodeId }) => `/mails/${nodeId}`],
  event: ['events', ({ nodeId }) => `/events/${nodeId}`],
};

function toHit(found: Found): Hit {
  const { nodeId: id, type, title, detail, customer } = found;
  const [icon, getPath] = places[type];
  const owner = customer && type !== 'customer' ? nameCustomer(customer) : null;
  return { id, title, detail: owner ?? detail ?? '', path: getPath(found), icon };
}

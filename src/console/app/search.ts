import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { CustomerName } from '../data/fragments.ts';
import { graphql, type ResultOf } from '../data/graphql.ts';
import type { IconName } from '../design/Icon.tsx';
import { nameCustomer } from '../texts/names.ts';

const SearchQuery = graphql(
  `
    query Search($email: String!, $associatedId: String!, $name: String!, $code: String!) {
      byEmail: customers(email: $email, first: 5) {
        nodes {
          ...CustomerName
          email
        }
      }
      byAssociatedId: customers(associatedId: $associatedId, first: 5) {
        nodes {
          ...CustomerName
          email
        }
      }
      products(name: $name, first: 5) {
        nodes {
          id
          name
        }
      }
      promotionCodes(code: $code, first: 5) {
        nodes {
          id
          code
          coupon {
            id
          }
        }
      }
    }
  `,
  [CustomerName],
);

/** A record that the search found. */
export interface Hit {
  id: string;
  title: string;
  detail: string;
  path: string;
  icon: IconName;
}

const pauseMs = 150;

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
      const variables = { email: wanted, associatedId: wanted, name: wanted, code: wanted };
      const { data } = await client.query(SearchQuery, variables).toPromise();
      if (current) setState({ hits: data ? listHits(data) : [], searching: false });
    };
    const timer = setTimeout(() => void search(), pauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, wanted]);
  return state;
}

function listHits(data: ResultOf<typeof SearchQuery>): Hit[] {
  const customers = [...(data.byEmail?.nodes ?? []), ...(data.byAssociatedId?.nodes ?? [])];
  const hits: Hit[] = [
    ...customers.map((customer) => ({
      id: customer.id,
      title: nameCustomer(customer),
      detail: customer.email,
      path: `/customers/${customer.id}`,
      icon: 'customers' as const,
    })),
    ...(data.products?.nodes ?? []).map(({ id, name }) => ({
      id,
      title: name,
      detail: '',
      path: `/catalog/${id}`,
      icon: 'catalog' as const,
    })),
    ...(data.promotionCodes?.nodes ?? []).map(({ id, code, coupon }) => ({
      id,
      title: code,
      detail: '',
      path: `/coupons/${coupon.id}`,
      icon: 'coupons' as const,
    })),
  ];
  return hits.filter(({ id }, index) => hits.findIndex((each) => each.id === id) === index);
}

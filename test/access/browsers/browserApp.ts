/** Requests as a page sends them. */
import type { TestApp } from '../../support/app.ts';

export const page = 'https://shop.example';

export interface PageRequest {
  query: string;
  variables?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The address of the client; a new one for each request by default, so that no limit is reached. */
  address?: string;
}

let clients = 0;
const nextAddress = () => {
  clients += 1;
  return `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`;
};

/** Sends an operation with a bearer token from a page of the allowed origin. */
export async function postFromPage(
  app: TestApp,
  token: string,
  { query, variables, headers, address = nextAddress() }: PageRequest,
) {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/graphql',
    remoteAddress: address,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      origin: page,
      ...headers,
    },
    payload: JSON.stringify({ query, variables }),
  });
  const body = answer.json();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    body,
    reason: body.errors?.[0]?.extensions?.reason as string | undefined,
  };
}

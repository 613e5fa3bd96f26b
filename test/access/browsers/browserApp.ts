/** Requests as a page sends them. */
import { expect } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import type { Audience } from '../../../src/tenancy/apiKeyCache.ts';
import type { TestApp } from '../../support/app.ts';
import { openFields } from './openFields.ts';
import { describeOpenField, walkSchema } from './schemaWalk.ts';

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

/** A field of the schema with the document that selects it. */
type Walked = ReturnType<typeof walkSchema>[number];

/**
 * Selects every field of the schema: those of the list of the audience are not refused as closed, all others are, of which
 * `choose` returns the ones that are selected.
 */
export async function expectOpenFields(
  app: TestApp,
  audience: Audience,
  nextToken: () => string,
  choose: (closed: Walked[]) => Walked[],
): Promise<void> {
  const open = new Set<string>(openFields[audience]);
  const isListed = (name: string) => open.has(describeOpenField(schema, name, audience));
  const walked = walkSchema(schema, audience).filter(({ kind }) => kind !== 'subscription');
  expect(walked.length).toBeGreaterThan(800);
  const isOpen = ({ way }: Walked) => way.every(isListed);
  const reached: string[] = [];
  for (const { name, document } of walked.filter(isOpen)) {
    const { reason, text } = await postFromPage(app, nextToken(), { query: document });
    expect(reason, `${document} ${text}`).not.toBe('closed_to_browsers');
    reached.push(describeOpenField(schema, name, audience));
  }
  for (const { document } of choose(walked.filter((each) => !isOpen(each)))) {
    const { reason, text, status } = await postFromPage(app, nextToken(), { query: document });
    expect([status, reason], `${document} ${text}`).toEqual([403, 'closed_to_browsers']);
  }
  expect(reached.toSorted()).toEqual(openFields[audience]);
}

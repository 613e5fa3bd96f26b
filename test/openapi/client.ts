/**
 * A client over the types that openapi-typescript makes of the document: it compiles only where they suffice.
 * The test puts a copy of this file beside those types; here, where there are none, they are `any`.
 */
// @ts-ignore
import type { paths } from './perennial.ts';

type Method = 'get' | 'post' | 'patch' | 'delete';
type Operation<Path extends keyof paths, Verb extends Method> = NonNullable<paths[Path][Verb]>;
type Json<Part> = Part extends { content: { 'application/json': infer Value } } ? Value : never;

type Fields<Asked> = Asked extends { parameters: { path?: unknown; query?: unknown } }
  ? Pick<Asked['parameters'], 'path' | 'query'> & {
      [Part in keyof Asked as Part extends 'requestBody' ? 'body' : never]: Json<Asked[Part]>;
    }
  : never;

type Answer<Asked> = Asked extends { responses: infer Responses }
  ? Json<Responses[keyof Responses & (200 | 201)]>
  : never;

interface Parts {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** A function that asks one operation and answers its JSON. */
export function createClient(baseUrl: string, apiKey: string) {
  return async <Path extends keyof paths & string, Verb extends Method>(
    method: Verb,
    path: Path,
    fields: Fields<Operation<Path, Verb>>,
  ): Promise<Answer<Operation<Path, Verb>>> => {
    const { path: names, query, body } = fields as Parts;
    const url = new URL(baseUrl + path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names![name]!)));
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const answer = await fetch(url, {
      method: method.toUpperCase(),
      headers: { 'api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Answer<Operation<Path, Verb>>;
  };
}

/** Creates a customer, renames them, and finds them in the list: answers their new name. */
export async function renameCustomer(ask: ReturnType<typeof createClient>): Promise<string | undefined> {
  const names = { tenantAlias: 'acme', associatedId: 'client-1' };
  const { id, createdAt } = await ask('post', '/customers', {
    body: {
      ...names,
      email: 'ada@example.org',
      firstName: 'Ada',
      lastName: 'Byron',
      metadata: { vip: 'yes' },
    },
  });
  await ask('patch', '/customers/{customerId}', {
    path: { customerId: id },
    body: { ...names, lastName: 'King' },
  });

  let cursor: string | null = null;
  do {
    const page: Answer<Operation<'/customers', 'get'>> = await ask('get', '/customers', {
      query: { limit: 5, order: 'asc', ...(cursor !== null && { cursor }) },
    });
    for (const customer of page.data) {
      if (customer.id === id && customer.createdAt === createdAt)
        return `${customer.firstName} ${customer.lastName}`;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return undefined;
}

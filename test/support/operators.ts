/** Operators of the console in tests: sign-in by a link, and requests with the cookie. */
import { createLink, grantTenants } from '../../src/access/operators/administration.ts';
import type { OperatorRole } from '../../src/storage/model/operators.ts';
import { expectDeclared } from './declaredReasons.ts';
import type { Answer, TestApp } from './app.ts';

/** The headers of the console, without a session. */
export const consoleHeaders = { 'content-type': 'application/json', 'perennial-console': '1' };

/** An operator who is signed in. */
export interface TestOperator {
  id: string;
  email: string;
  /** The cookie alone, as a browser sends it. */
  cookie: string;
  /** All headers of a request, the tenant included if one was given. */
  headers: Record<string, string>;
  /** Posts an operation with these headers; `headers` may replace or remove some. */
  post(query: string, variables?: object, headers?: Record<string, string | undefined>): Promise<Answer>;
}

/** Posts a GraphQL operation. */
export async function postConsole(
  { server }: Pick<TestApp, 'server'>,
  query: string,
  variables: object = {},
  headers: Record<string, string | undefined> = consoleHeaders,
): Promise<Answer> {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const payload = { query, variables };
  const answer = await server.inject({
    method: 'POST',
    url: '/graphql',
    headers: given as Record<string, string>,
    payload: JSON.stringify(payload),
  });
  const body = answer.body.startsWith('{') ? JSON.parse(answer.body) : undefined;
  expectDeclared('POST', '/graphql', payload, body);
  return { status: answer.statusCode, headers: answer.headers, text: answer.body, body };
}

/** Creates a link for an operator, who is created if necessary; returns its token. */
export async function createOperatorLink(
  { service }: TestApp,
  { email, role, tenant }: { email: string; role?: OperatorRole; tenant?: string },
): Promise<{ id: string; token: string }> {
  const { id } = await grantTenants(service, { email, role: role ?? 'owner', tenant });
  const { url } = await createLink(service, email, 'http://127.0.0.1');
  return { id, token: url.split('#')[1]! };
}

let created = 0;

/** Signs in an operator with a role: in one tenant, or in all. Each call creates another operator unless `email` is given. */
export async function signInOperator(
  app: TestApp,
  input: { role?: OperatorRole; tenant?: string; email?: string } = {},
): Promise<TestOperator> {
  const email = input.email ?? `operator-${(created += 1)}@example.com`;
  const { id, token } = await createOperatorLink(app, { ...input, email });
  const answer = await postConsole(
    app,
    'mutation ($token: String!) { redeemOperatorLink(input: { token: $token }) { id } }',
    {
      token,
    },
  );
  const cookie = String(answer.headers['set-cookie']).split(';')[0]!;
  const headers: Record<string, string> = { ...consoleHeaders, cookie };
  if (input.tenant !== undefined) headers['perennial-tenant'] = input.tenant;
  return {
    id,
    email,
    cookie,
    headers,
    post: (query, variables, other) => postConsole(app, query, variables, { ...headers, ...other }),
  };
}

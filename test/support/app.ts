import { createApp, type App, type AppOptions } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Scope } from '../../src/tenancy/apiKeyCache.ts';
import { createKey } from '../../src/tenancy/apiKeys.ts';
import type { Permission } from '../../src/tenancy/permissions.ts';
import { createTenant, type NewTenant } from '../../src/tenancy/tenants.ts';
import type { Backdoor } from './backdoor.ts';
import { expectDeclared } from './declaredReasons.ts';
import { engine, scratchDatabase } from './engines.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
  /** The JSON of the body. */
  body: any;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';

/** A client of the app with one key. */
export interface Client {
  apiKey: string;
  rest(method: Method, path: string, fields?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The `data` of an operation; throws when there are errors. */
  graphql(query: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<any>;
  /** The whole response of an operation. */
  post(query: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>;
  /** Creates another key of the same tenant. */
  colleague?: (rights: Scope | readonly Permission[]) => Promise<Client>;
}

export interface TestApp extends App {
  /** The file of the database, on SQLite. */
  path: string;
  /** The database as PERENNIAL_DATABASE has it. */
  database: string;
  /** The database without the server before it. */
  backdoor: Backdoor;
  /** Creates a tenant, by default a test tenant, and an API key for it. */
  tenant(tenant: NewTenant): Promise<Client>;
  /** Creates a key with a scope, or with permissions of its own. */
  key(tenant: string, rights: Scope | readonly Permission[]): Promise<Client>;
  client(apiKey: string): Client;
}

/** The key that encrypts secrets in tests on PostgreSQL, which has no folder for a file. */
export const testSecretKey = Buffer.alloc(32, 7).toString('base64');

/** Starts the real app on its own database of the engine under test; `outside` may replace the clock. */
export async function startApp(
  settings: Parameters<typeof readConfig>[0] = {},
  outside: AppOptions = {},
): Promise<TestApp> {
  const scratch = await scratchDatabase();
  // SQLite keeps the secret key beside its file; several servers of one database need it as a setting.
  const secretKey = engine === 'postgres' ? testSecretKey : undefined;
  const config = readConfig(
    {
      database: scratch.url,
      databaseConnections: '4',
      logLevel: 'silent',
      secretKey,
      // Most tests count other rows than those of mails.
      testMails: 'off',
      ...settings,
    },
    {},
    outside.providers,
  );
  const app = await createApp(config, { scheduler: false, ...outside });
  const key: TestApp['key'] = (tenant, rights) => createKeyClient(app, tenant, rights);
  return {
    ...app,
    path: scratch.path,
    database: scratch.url,
    backdoor: scratch.backdoor,
    key,
    client: (apiKey) => createClient(app, apiKey),
    tenant: async (tenant) => {
      await createTenant(app.service, { test: true, ...tenant });
      return key(tenant.alias, 'write');
    },
    close: async () => {
      await app.close();
      await scratch.drop();
    },
  };
}

async function createKeyClient(
  app: App,
  tenant: string,
  rights: Scope | readonly Permission[],
): Promise<Client> {
  const given = typeof rights === 'string' ? { scope: rights } : { permissions: [...rights] };
  return createClient(app, (await createKey(app.service, { tenant, ...given })).apiKey);
}

function createClient(app: App, apiKey: string): Client {
  const send = async (
    method: Method,
    url: string,
    payload: unknown,
    headers: Record<string, string> = {},
  ) => {
    const answer = await app.server.inject({
      method,
      url,
      headers: {
        'api-key': apiKey,
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      payload:
        payload === undefined || Buffer.isBuffer(payload) || typeof payload === 'string'
          ? payload
          : JSON.stringify(payload),
    });
    const isJson = answer.body.startsWith('{') || answer.body.startsWith('[');
    const body = isJson ? JSON.parse(answer.body) : undefined;
    expectDeclared(method, url, payload, body);
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body };
  };
  const post: Client['post'] = (query, variables, headers) =>
    send('POST', '/graphql', { query, variables }, headers);
  return {
    apiKey,
    rest: (method, path, fields, headers) => {
      const inBody = method === 'POST' || method === 'PATCH' || method === 'PUT';
      const isText = typeof fields === 'string' || Buffer.isBuffer(fields);
      const query =
        inBody || fields === undefined || isText ? '' : `?${new URLSearchParams(fields as never).toString()}`;
      return send(method, `/api/v1${path}${query}`, inBody || isText ? fields : undefined, headers);
    },
    post,
    graphql: async (query, variables, headers) => {
      const { body, text } = await post(query, variables, headers);
      if (!body?.data || body.errors) throw new Error(text);
      return body.data;
    },
    colleague: (rights) => createKeyClient(app, apiKey.split('_')[1]!, rights),
  };
}

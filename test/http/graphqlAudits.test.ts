/** GraphQL over HTTP, held to the audits of the reference implementation, on a real connection. */
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let url: string;
let apiKey: string;
beforeAll(async () => {
  app = await startApp();
  ({ apiKey } = await app.tenant({ alias: 'acme' }));
  url = `${await app.server.listen({ port: 0, host: '127.0.0.1' })}/graphql`;
});
afterAll(() => app.close());

const audits = serverAudits({
  url: () => url,
  fetchFn: (address: string, init?: RequestInit) =>
    fetch(address, { ...init, headers: { ...(init?.headers as Record<string, string>), 'api-key': apiKey } }),
});

it('runs all 61 audits', () => expect(audits).toHaveLength(61));

it.each(audits)('$id $name', async (audit) => {
  const result = await audit.fn();
  const problem = result.status === 'ok' ? '' : `${result.reason} ${await result.response.text()}`;
  expect([result.status, problem]).toEqual(['ok', '']);
});

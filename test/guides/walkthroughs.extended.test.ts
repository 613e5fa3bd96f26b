/** The walk-throughs for clients, followed to their end against a server with the demo tenant. */
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createDemo } from '../../src/cli/demo.ts';
import { startApp, type Client } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { freePort } from '../support/ports.ts';
import { sampled } from '../support/sample.ts';
import { root } from '../sourceFiles.ts';
import { emptyFolder, follow, runIn } from './guide.ts';

interface Reader {
  folder: string;
  client: Client;
  /** What a guide has its reader set. */
  env: Record<string, string>;
}

/** Lets a reader begin: with a server that has the demo tenant, and an empty folder. */
async function withReader(read: (reader: Reader) => Promise<void>) {
  const app = await startApp();
  const folder = emptyFolder();
  try {
    const url = await listen(app);
    const quiet = { progress: { show: () => {}, end: () => {} }, isStopping: () => false };
    const apiKey = (await createDemo(app.service, { contents: 'catalog', ...quiet }))!;
    for (const file of ['site.mjs', 'trusted.mjs'])
      copyFileSync(path.join(root, 'docs/guides', file), path.join(folder.path, file));
    const env = { BILLING_URL: url, API_KEY: apiKey, SITE_PORT: String(await freePort()) };
    await read({ folder: folder.path, client: app.client(apiKey), env });
  } finally {
    folder.remove();
    await app.close();
  }
}

/** There is one subscription, of the customer that the guide made, and its first period is paid. */
async function expectPaid({ client }: Reader) {
  const { subscriptions, invoices } = await client.graphql(`{
    subscriptions { nodes { status productName billedCount customer { firstName } } }
    invoices { nodes { status total { amount currency } } }
  }`);
  expect(subscriptions.nodes).toEqual([
    { status: 'active', productName: 'Basic', billedCount: 1, customer: { firstName: 'Alan' } },
  ]);
  expect(invoices.nodes).toMatchObject([{ status: 'paid', total: { amount: 9, currency: 'usd' } }]);
}

it.concurrent.each(sampled(['rest', 'urql', 'apollo-client'], 3))(
  '%s leads from an empty folder to a paid subscription',
  (guide) =>
    withReader(async (reader) => {
      await follow(`${guide}.md`, reader.folder, reader.env);
      await expectPaid(reader);
    }),
);

it.concurrent('the guide to revenue prints the MRR of a yearly subscription', () =>
  withReader(({ folder, env }) => follow('revenue.md', folder, env)),
);

it.concurrent(
  'the guide to Relay works: its compiler accepts the schema, and its list pages to the end',
  () =>
    withReader(async (reader) => {
      const { folder, client, env } = reader;
      mkdirSync(path.join(folder, 'src'));
      copyFileSync(path.join(import.meta.dirname, 'relayList.jsx'), path.join(folder, 'src/relayList.jsx'));
      await follow('relay.md', folder, env);
      await expectPaid(reader);

      // What was made of the server's own schema is what is made of the repository's.
      copyFileSync(path.join(root, 'schema.graphql'), path.join(folder, 'schema.graphql'));
      await runIn(folder, 'npx relay-compiler --validate', env);

      for (const firstName of ['D', 'E', 'F', 'G']) {
        const fields = { associatedId: firstName, email: 'x@example.com', firstName, lastName: 'X' };
        await client.rest('POST', '/customers', { tenantAlias: 'demo', ...fields });
      }
      expect(JSON.parse(await runIn(folder, 'node out/relayList.js', env))).toEqual({
        pages: 4,
        names: ['Ada', 'Grace', 'Alan', 'Kurt', 'D', 'E', 'F', 'G'],
      });
    }),
);

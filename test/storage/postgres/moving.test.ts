/** The guide to moving, followed there and back with a client that must notice nothing. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBlocks } from '../../guides/guide.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { scratchDatabase, type Scratch } from '../../support/engines.ts';
import { fillTenant } from '../../support/world.ts';

let file: Scratch;
let server: Scratch;
beforeAll(async () => {
  file = await scratchDatabase('sqlite');
  server = await scratchDatabase('postgres', true);
});
afterAll(async () => {
  await file.drop();
  await server.drop();
});

const createEndpoint = `mutation {
  createWebhookEndpoint(input: { url: "https://shop.example/hooks" }) { secret }
}`;
const customers = 'query ($after: String) { customers(first: 1, after: $after) { nodes { id } nextCursor } }';

it('API keys, cursors, keyed requests and secrets work after the move', async () => {
  const folder = path.dirname(file.path);
  const steps = readBlocks('sqlite-to-postgres.md')
    .filter(({ info }) => info === 'sh run')
    .map(({ text }) => text.trim().split('\n'));
  const runCommands = async (commands: string[]) => {
    for (const command of commands) {
      const said = await perennial('unused', splitWords(command, folder));
      expect(said, `${command}: ${said.out}${said.err}`).toMatchObject({ code: 0 });
    }
  };
  expect(steps.map((commands) => commands.length)).toEqual([1, 3, 1]);

  let app: TestApp = await startApp({ database: file.url, secretKey: undefined });
  const { apiKey } = await app.tenant({ alias: 'acme' });
  const ask = async (query: string, variables = {}) => {
    const named: Record<string, string> = query === createEndpoint ? { 'idempotency-key': 'once' } : {};
    const { body, text } = await app.client(apiKey).post(query, variables, named);
    expect(body.errors, text).toBeUndefined();
    return body.data;
  };
  await fillTenant(app.client(apiKey), 'acme');
  await runCommands(steps[0]!);
  const made = await ask(createEndpoint);
  const { nextCursor } = (await ask(customers)).customers;
  const second = await ask(customers, { after: nextCursor });
  await app.close();

  await runCommands(steps[1]!);
  const secretKey = readFileSync(`${file.path}.key`, 'utf8').trim();
  app = await startApp({ database: server.url, secretKey });
  expect(await ask(createEndpoint)).toEqual(made);
  expect(await ask(customers, { after: nextCursor })).toEqual(second);
  await app.close();

  await runCommands(steps[2]!);
  app = await startApp({ database: `sqlite:${folder}/back/perennial.db`, secretKey });
  expect(await ask(createEndpoint)).toEqual(made);
  await app.close();
});

/** The words of a command after `perennial`, with the databases of this test for those of the guide. */
function splitWords(command: string, folder: string): string[] {
  const [program, ...words] = command.split(' ');
  expect(program).toBe('perennial');
  return words.map((word) =>
    word
      .replace('postgres://perennial@db/perennial', server.url)
      .replace('sqlite:data/perennial.db', file.url)
      .replace('sqlite:back', `sqlite:${folder}/back`)
      .replace('before-the-move.db', `${folder}/before-the-move.db`),
  );
}

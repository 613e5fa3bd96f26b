/** What compiled routes answer to writes is what graphql-js answers, byte for byte, whatever is left out of them. */
import { isLong } from '../support/sample.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeFields, readRoute } from '../../src/rest/adapter.ts';
import type { Route } from '../../src/rest/route.ts';
import { schema } from '../../src/app/schema.ts';
import { pick } from '../stress/fuzz/requests.ts';
import { valueFor } from '../graphql/jit/compiled/arguments.ts';
import {
  chance,
  openShop,
  send,
  unwatchRoots,
  watchRoots,
  type Shop,
} from '../graphql/jit/compiled/shops.ts';
import { beginDraft } from '../graphql/jit/compiled/draft.ts';
import { isWrite, buildRequest, restOperations } from '../support/operations.ts';

// What is removed would soon be all; removals have no fields that may be left out.
const writes = restOperations.filter(({ route }) => isWrite(route) && route.method !== 'DELETE');

let walked: Shop;
let compiled: Shop;
beforeAll(async () => {
  watchRoots();
  // A route is read with its first request, and no operation of such a name is compiled.
  const documents = writes.map(({ route }) => route.document);
  for (const { route } of writes) route.document = route.document.replace(/\w+(?=\()/, 'constructor');
  walked = await openAndAskAll();
  for (const [index, { route }] of writes.entries()) route.document = documents[index]!;
  compiled = await openAndAskAll();
});
afterAll(async () => {
  unwatchRoots();
  await Promise.all([walked.app.close(), compiled.app.close()]);
});

async function openAndAskAll(): Promise<Shop> {
  const shop = await openShop();
  for (const { route, row } of writes) {
    await send(shop, requestFor(shop, route, { ...row.call(shop.world), tenantAlias: 'nobody' }));
  }
  return shop;
}

const requestFor = ({ client }: Shop, route: Route, fields: object) =>
  buildRequest(route, fields, { 'api-key': client.apiKey });

it.each(writes)('$name', async ({ route, row }) => {
  const variables = [...describeFields(schema, route, readRoute(schema, route)).values()];
  let compiledOnes = 0;
  const check = async (g: fc.GeneratorValue) => {
    const draft = beginDraft(g, schema, walked.values, true);
    const good: Record<string, unknown> = { tenantAlias: 'acme', ...row.call(walked.world) };
    const fields = variables.flatMap(({ name, type }) => {
      const isInPath = route.path.includes(`{${name}}`);
      const isNeeded = String(type).endsWith('!') && !draft.oneIn(draft.isTame ? 60 : 8);
      if (draft.oneIn(2) && !isNeeded && !isInPath) return [];
      const isGood = name in good && !draft.oneIn(isNeeded ? 30 : 2);
      const value = isGood ? good[name] : valueFor(draft, type, name);
      return [[name, isInPath ? String(value) || 'none' : value]];
    });
    if (draft.oneIn(30)) fields.push([pick(g, ['__proto__', 'constructor', 'id']), 'x']);
    const given = JSON.parse(JSON.stringify(Object.fromEntries(fields)));
    const one = await send(walked, requestFor(walked, route, given));
    const other = await send(compiled, requestFor(compiled, route, given));
    if (one.answer !== other.answer) {
      expect.fail(`${JSON.stringify(given)}\ngraphql-js: ${one.answer}\ncompiled:   ${other.answer}`);
    }
    if (one.compiled > 0) expect.fail('graphql-js was not asked');
    if (one.walked !== other.walked + other.compiled) expect.fail('it is not performed once');
    compiledOnes += other.compiled;
  };
  await fc.assert(fc.asyncProperty(fc.gen(), check), { ...chance, numRuns: isLong ? 200 : 25 });
  expect(await compiled.app.backdoor.dump()).toBe(await walked.app.backdoor.dump());
  expect(compiledOnes).toBeGreaterThan(isLong ? 40 : 2);
});

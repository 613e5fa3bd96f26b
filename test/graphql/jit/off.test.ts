/** With `--graphql-jit off` nothing is compiled, and every GraphQL and REST operation returns the same. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import {
  writeDocument,
  graphqlRows,
  buildRequest,
  restOperations,
  listRootFields,
} from '../../support/operations.ts';
import { sampled, sampledInCore } from '../../support/sample.ts';
import { ask, openShop, send, unwatchRoots, watchRoots, type Asked, type Shop } from './compiled/shops.ts';

const repetitions = 4;

let on: Shop;
let off: Shop;
let compiledFields = 0;
beforeAll(async () => {
  watchRoots();
  [on, off] = [await openShop('on'), await openShop('off')];
});
afterAll(async () => {
  unwatchRoots();
  await Promise.all([on.app.close(), off.app.close()]);
});

/** Sends a request repeatedly to both, and expects the same responses, without compiled code where it is off. */
async function expectSame(request: (shop: Shop) => Promise<Asked>): Promise<void> {
  for (let times = 0; times < repetitions; times++) {
    const [one, other] = [await request(on), await request(off)];
    expect(other.answer).toBe(one.answer);
    expect(other.compiled).toBe(0);
    compiledFields += one.compiled;
  }
}

// advanceClock would renew for years.
const called = listRootFields(schema).filter(({ name }) => graphqlRows[name] && name !== 'advanceClock');
const rootFields = sampledInCore(sampled(called, 6), 2);
const operations = sampledInCore(sampled(restOperations, 6), 2);
it.each(rootFields)('$kind $name', async (rootField) => {
  const query = writeDocument(schema, rootField, 1);
  const { call } = graphqlRows[rootField.name]!;
  await expectSame((shop) => ask(shop, query, call(shop.world)));
});

it.each(operations)('$name', async ({ route, row }) => {
  await expectSame((shop) =>
    send(
      shop,
      buildRequest(
        route,
        { tenantAlias: 'acme', ...row.call(shop.world) },
        { 'api-key': shop.client.apiKey },
      ),
    ),
  );
});

it('only the server with the compiler switched on compiles', () => {
  expect(compiledFields).toBeGreaterThan(rootFields.length + operations.length);
});

it('both servers store the same data', async () => {
  expect(await off.app.backdoor.dump()).toBe(await on.app.backdoor.dump());
});

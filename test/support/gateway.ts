import { afterAll, beforeAll } from 'vitest';
import type { Store } from '../../src/storage/store.ts';
import { addTenant } from './database.ts';
import { scratchDatabase, type Scratch } from './engines.ts';
import { openGateway } from './stores.ts';

interface Wanted {
  tenants?: string[];
  /** Added to the database's address. */
  settings?: string;
}

/** What the tests of a file share: a gateway, and the PostgreSQL database of its own that it is opened on. */
export function gatewayOfFile({ tenants = ['acme'], settings = '' }: Wanted = {}) {
  let scratch: Scratch;
  let store: Store;
  beforeAll(async () => {
    scratch = await scratchDatabase();
    store = await openGateway(scratch.url + settings);
    for (const alias of tenants) await addTenant(store, alias);
  });
  afterAll(async () => {
    await store.close();
    await scratch.drop();
  });
  return {
    get scratch() {
      return scratch;
    },
    get store() {
      return store;
    },
  };
}

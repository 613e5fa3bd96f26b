import { systemClock } from '../../src/lib/clock.ts';
import { openStore } from '../../src/storage/open.ts';
import { engine, scratchDatabase } from '../support/engines.ts';
import { storeContract } from '../support/storeContract.ts';

storeContract(engine, async (limits) => {
  const scratch = await scratchDatabase();
  const database = engine === 'postgres' ? `${scratch.url}&${limits}` : scratch.url;
  const store = await openStore({ database, databaseConnections: 4 }, 'drizzle', true, systemClock);
  const discard = async () => {
    await store.close();
    await scratch.drop();
  };
  return { store, discard };
});

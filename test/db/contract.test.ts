import { openSqlite } from '../../src/db/sqlite.ts';
import { migrations, scratch } from '../support/database.ts';
import { storeContract } from '../support/storeContract.ts';

storeContract('SQLite', async () => {
  const { path, remove } = scratch();
  const store = openSqlite({ path, migrations, own: true });
  const discard = async () => {
    await store.close();
    remove();
  };
  return { store, discard };
});

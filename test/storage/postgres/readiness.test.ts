/** `/readyz` while the server of the database cannot be reached. */
import { expect, it } from 'vitest';
import { startApp } from '../../support/app.ts';
import { scratchDatabase } from '../../support/engines.ts';
import { wireTo } from '../../support/stores.ts';

it('is alive but not ready while its database is out of reach, and ready again afterwards', async () => {
  const scratch = await scratchDatabase();
  const url = new URL(scratch.url);
  const wire = await wireTo(Number(url.port));
  url.port = String(wire.port);
  const app = await startApp({ database: url.href });
  const ask = (path: string) => app.server.inject({ url: path });
  expect((await ask('/readyz')).statusCode).toBe(200);

  wire.cut();
  const readyz = await ask('/readyz');
  expect([readyz.statusCode, readyz.headers['retry-after'], readyz.json().body.reason]).toEqual([
    503,
    '1',
    'unavailable',
  ]);
  expect((await ask('/livez')).statusCode).toBe(200);

  wire.mend();
  await expect.poll(async () => (await ask('/readyz')).statusCode).toBe(200);
  await app.close();
  await wire.close();
  await scratch.drop();
});

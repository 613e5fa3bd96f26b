/** Tables that grow fast get their statistics before autovacuum gives them some. */
import { expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../support/app.ts';

it('analyzes the tables of usage once a server has written 1,000 rows', async () => {
  const app = await startApp();
  onTestFinished(() => app.close());
  const client = await app.tenant({ alias: 'acme' });
  const count = async () => {
    const [row] = await app.backdoor.all("select reltuples from pg_class where oid = 'usage_ids'::regclass");
    return Number(row!['reltuples']);
  };
  const send = (from: number, number: number) =>
    client.rest('POST', '/usage', {
      events: Array.from({ length: number }, (_, index) => ({
        id: `e${from + index}`,
        event: 'call',
        associatedId: 'nobody-yet',
      })),
    });
  expect((await send(0, 999)).body).toMatchObject({ accepted: 999 });
  const before = await count();
  expect((await send(999, 1)).body).toMatchObject({ accepted: 1 });
  expect([before < 1000, await count()]).toEqual([true, 1000]);
});

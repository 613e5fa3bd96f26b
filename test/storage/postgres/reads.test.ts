/** What becomes of reads that go to the server together. */
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { gatewayOfFile } from '../../support/gateway.ts';
import { groupRow } from '../../support/rows.ts';

const ids = Array.from({ length: 100 }, (_, index) => `grp_${index}`);

const gateway = gatewayOfFile();
beforeAll(async () => {
  await gateway.store.transact('acme', (queries) =>
    queries.insertMany(
      'groups',
      ids.map((id) => groupRow(id, { name: `name of ${id}` })),
    ),
  );
});

const readName = async (id: string) => {
  const [row] = await gateway.store.fresh.select('groups', { where: { tenantAlias: 'acme', id } });
  return row?.name;
};
/** The server refuses it: this is no instant. */
const fail = async () => gateway.store.fresh.select('groups', { where: { createdAt: { from: 'never' } } });

describe('reads of one turn', () => {
  it('each return their own rows, in any number', async () => {
    expect(await Promise.all(ids.map(readName))).toEqual(ids.map((id) => `name of ${id}`));
    expect(await readName('another')).toBeUndefined();
  });

  it('succeed if others of the turn fail', async () => {
    const reading = ids.flatMap((id, index) => (index % 3 === 0 ? [fail(), readName(id)] : [readName(id)]));
    const answers = await Promise.allSettled(reading);
    const failures = answers.filter(({ status }) => status === 'rejected');
    expect(failures).toHaveLength(34);
    for (const failure of failures) expect(failure).toMatchObject({ reason: { code: '22007' } });
    const names = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(names).toEqual(ids.map((id) => `name of ${id}`));
  });

  it('are refused when their connections are lost, and work afterwards', async () => {
    const other = new pg.Client(gateway.scratch.url);
    await other.connect();
    await other.query('BEGIN; LOCK TABLE groups');
    const reading = Promise.allSettled(ids.map(readName));
    // Other files have databases of their own on the same server.
    const waiting = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    let ended = 0;
    while (ended === 0) ended = (await other.query(waiting)).rowCount!;
    await other.query('COMMIT');
    await other.end();
    const answers = await reading;
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const each of refused)
      expect(each).toMatchObject({ reason: { reason: 'unavailable', status: 503 } });
    answers.forEach((answer, index) => {
      if (answer.status === 'fulfilled') expect(answer.value).toBe(`name of ${ids[index]}`);
    });
    expect(await Promise.all(ids.map(readName))).toEqual(ids.map((id) => `name of ${id}`));
  });
});

/** A server that rejects new connections to the database: requests are `unavailable` until it accepts them again. */
import { expect, inject, it } from 'vitest';
import { administer } from '../../support/administer.ts';
import { startApp } from '../../support/app.ts';

const close = (name: string) => [
  `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
];
const open = (name: string) => [`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`];

type Statements = (name: string) => string[];

it.each<[fault: string, begin: Statements, end: Statements]>([
  ['accepts no connections', close, open],
  [
    'has another name',
    (name) => [...close(name), `ALTER DATABASE ${name} RENAME TO ${name}_away`],
    (name) => [`ALTER DATABASE ${name}_away RENAME TO ${name}`, ...open(name)],
  ],
])('a database that %s is unavailable until it is back', async (_, begin, end) => {
  const { address: server } = inject('postgres');
  const app = await startApp();
  const name = new URL(app.database).pathname.slice(1);
  const perform = async (statements: string[]) => {
    for (const statement of statements) await administer(server, statement);
  };
  try {
    const client = await app.tenant({ alias: 'acme' });
    const create = (associatedId: string) =>
      client.rest('POST', '/customers', {
        tenantAlias: 'acme',
        associatedId,
        email: 'a@example.com',
        firstName: 'A',
        lastName: 'B',
      });
    expect((await create('before')).status).toBe(201);

    await perform(begin(name));
    for (const request of [create('lost'), client.rest('GET', '/customers?tenantAlias=acme')]) {
      const { status, body, headers } = await request;
      expect([status, body.body.reason, headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    }

    await perform(end(name));
    await expect.poll(async () => (await create('after')).status).toBe(201);
    const { body } = await client.rest('GET', '/customers?tenantAlias=acme&order=ASC');
    expect(body.data.map(({ associatedId }: any) => associatedId)).toEqual(['before', 'after']);
  } finally {
    await app.close();
  }
});

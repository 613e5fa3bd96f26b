/** Addresses with several servers: a primary and its standby, and a failover between them. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, type App } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { parsePostgresAddress, redactPassword } from '../../../src/lib/postgresAddress.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { administer } from '../../support/administer.ts';
import { startEmbedded, startStandby, type EmbeddedServer } from '../../support/embedded.ts';
import { freePort } from '../../support/ports.ts';

describe('an address', () => {
  const read = (address: string) => {
    const { servers, ...rest } = parsePostgresAddress(address, 'read-write');
    return [servers.map(({ url }) => url), rest.attribute, rest.connectTimeoutMs];
  };
  it.each([
    ['postgres://u:p%40@h/db', [['postgres://u:p%40@h:5432/db'], 'any', undefined]],
    [
      'postgres://u:p@a,b:5433/db',
      [['postgres://u:p@a:5432/db', 'postgres://u:p@b:5433/db'], 'read-write', undefined],
    ],
    [
      'postgresql://a,[::1]:6000/db?target_session_attrs=any&connect_timeout=3&lock_timeout=5',
      [['postgresql://a:5432/db?lock_timeout=5', 'postgresql://[::1]:6000/db?lock_timeout=5'], 'any', 3000],
    ],
    [
      'postgres:///db?host=a,b,c&port=1,2,3&target_session_attrs=primary',
      [['postgres://a:1/db', 'postgres://b:2/db', 'postgres://c:3/db'], 'primary', undefined],
    ],
    [
      'postgres://a,b/db?port=7000',
      [['postgres://a:7000/db', 'postgres://b:7000/db'], 'read-write', undefined],
    ],
    ['postgres:///db?host=/run/pg', [['postgres:///db?host=%2Frun%2Fpg&port=5432'], 'any', undefined]],
  ])('%s is read as libpq reads it', (address, expected) => {
    expect(read(address)).toEqual(expected);
  });

  const secret = 's3cret';
  it.each([
    ['a,b/db?port=1,2,3', /2 hosts and 3 ports/],
    ['a:0,b/db', /an invalid port: 0/],
    ['a:99999/db', /an invalid port: 99999/],
    ['a:1:2/db', /an invalid host/],
    [
      'a,b/db?target_session_attrs=master',
      /target_session_attrs=master, which must be one of any, read-write/,
    ],
    ['a,b/db?target_session_attrs=standby', /does not allow writes/],
    ['a,b/db?connect_timeout=soon', /connect_timeout that is not a whole number/],
    ['a,b/db?load_balance_hosts=random', /load_balance_hosts/],
    ['a,b/db%zz?connect_timeout=-1', /connect_timeout/],
  ])('postgres://u:…@%s is refused with the problem and without its password', (rest, message) => {
    const database = `postgres://u:${secret}@${rest}`;
    expect(() => readConfig({ database }, {})).toThrow(message);
    expect(() => readConfig({ database }, {})).not.toThrow(secret);
    expect(redactPassword(`${database}&password=${secret}`)).not.toContain(secret);
  });

  it.each([
    'u:s3cret/more@h/db',
    'u:12/s3cret@h/db',
    'u:s3cret?more@h/db',
    'u:12?s3cret@h/db',
    'u:s3cret#more@h/db',
    'u:more@s3cret@h/db',
    'u@h/db?password=s3cret',
    'u@h/db?PASSWORD=s3cret',
    'u@h/db?pass%77ord=s3cret',
    'u@h/db?sslpassword=s3cret',
  ])('postgres://%s is shown without its password, valid or not', (rest) => {
    const database = `postgres://${rest}`;
    expect(redactPassword(database)).not.toContain(secret);
    let problem = '';
    try {
      parsePostgresAddress(database);
      readConfig({ database }, {});
    } catch (error) {
      problem = String(error);
    }
    expect(problem).not.toContain(secret);
  });
});

describe('a primary and a standby', () => {
  let primary: EmbeddedServer;
  let standby: EmbeddedServer;
  let dead: number;
  let app: App;
  let apiKey: string;
  const place = ({ port }: EmbeddedServer) => `127.0.0.1:${port}`;
  const address = (servers: string[], attribute?: string) =>
    `postgres://postgres:postgres@${servers.join(',')}/billing${attribute ? `?target_session_attrs=${attribute}` : ''}`;
  const open = (database: string, databaseReplica?: string) =>
    createApp(readConfig({ database, databaseReplica, logLevel: 'silent' }, {}), {
      scheduler: false,
      log: pino({ level: 'silent' }),
    });

  beforeAll(async () => {
    primary = await startEmbedded(['fsync=off']);
    await administer(primary.address, `CREATE DATABASE billing TEMPLATE template0 ENCODING 'UTF8'`);
    standby = await startStandby(primary);
    dead = await freePort();
    // The one that is meant comes last.
    app = await open(address([`127.0.0.1:${dead}`, place(standby), place(primary)]));
    await createTenant(app.service, { alias: 'acme' });
    ({ apiKey } = await createKey(app.service, { tenant: 'acme' }));
  });
  afterAll(async () => {
    await app.close();
    await standby.remove();
    await primary.remove();
  });

  const post = async (name: string, to: App = app) =>
    (
      await to.server.inject({
        method: 'POST',
        url: '/api/v1/groups',
        headers: { 'api-key': apiKey },
        payload: { tenantAlias: 'acme', name },
      })
    ).statusCode;
  const names = async (of: App = app) => {
    const headers = { 'api-key': apiKey };
    const answer = await of.server.inject({ url: '/api/v1/groups?order=ASC', headers });
    return answer.json().data?.map(({ name }: { name: string }) => name) ?? answer.statusCode;
  };

  it('writes go to the primary, at any place in the list', async () => {
    expect(await post('one')).toBe(201);
    await expect.poll(async () => (await administer2('SELECT name FROM groups')).length).toBe(1);
  });
  const administer2 = async (query: string) => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: `${standby.address}/billing` });
    await client.connect();
    const { rows } = await client.query(query);
    await client.end();
    return rows;
  };

  it.each(['standby', 'prefer-standby', 'read-only'])(
    'a replica address with %s reads the standby',
    async (wanted) => {
      await administer(standby.address, 'SELECT pg_wal_replay_pause()');
      const other = await open(
        address([place(primary)]),
        address([`127.0.0.1:${dead}`, place(primary), place(standby)], wanted),
      );
      const before = await names(other);
      expect(await post(`unseen by ${wanted}`, other)).toBe(201);
      expect(await names(other)).toEqual(before);
      await administer(standby.address, 'SELECT pg_wal_replay_resume()');
      await expect.poll(() => names(other)).toContain(`unseen by ${wanted}`);
      await other.close();
    },
  );

  it('if no server is suitable, the start reports why for each', async () => {
    await expect(open(address([`127.0.0.1:${dead}`, place(standby)]))).rejects.toThrow(
      new RegExp(
        `^Cannot open postgres://postgres:…@.*No server can be reached and is read-write .*${dead}.*ECONNREFUSED.*${standby.port} is a standby`,
      ),
    );
    await expect(
      open(address([place(standby), place(primary)]).replace(':postgres@', ':wrong@')),
    ).rejects.toThrow(/password authentication failed/);
  });

  it('after a failover writes go to the new primary, and nothing acknowledged is lost', async () => {
    const acknowledged: string[] = (await names()) as string[];
    await expect
      .poll(async () => (await administer2('SELECT name FROM groups')).length)
      .toBe(acknowledged.length);
    await primary.crash();
    expect(await post('while there is none')).toBe(503);
    await administer(standby.address, 'SELECT pg_promote()');
    await expect.poll(() => post('after'), { interval: 200 }).toBe(201);
    expect(await names()).toEqual([...acknowledged, 'after']);
    expect(await Promise.all(Array.from({ length: 50 }, (_, index) => post(`n${index}`)))).toEqual(
      Array.from({ length: 50 }, () => 201),
    );
    // The one that was the primary comes back, and takes nothing.
    await primary.restart();
    expect(await post('last')).toBe(201);
    expect(await administer2("SELECT 1 FROM groups WHERE name = 'last'")).toHaveLength(1);
  });
});

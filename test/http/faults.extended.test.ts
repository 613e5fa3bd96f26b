/** What goes wrong around the server: the real program, stopped, starved, locked out and killed. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { follow, traceRecorded } from '../support/follow.ts';
import { begin, build, call, runProgram, serve, type Running } from '../support/program.ts';
import { isLong, sampled } from '../support/sample.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-faults-'));
const running: Running[] = [];
beforeAll(build);
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.process.kill('SIGKILL');
    await server.ended;
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const freshFile = () => path.join(folder, `${++count}.db`);

/** A file with a tenant, that no server has open. */
async function makeFile(file = freshFile()) {
  const settings = { PERENNIAL_DATABASE: `sqlite:${file}`, PERENNIAL_RATE_LIMIT: '1000000' };
  const { apiKey } = await call(['tenant', 'create', 'acme'], settings);
  return { file, settings, apiKey: apiKey as string };
}

/** Opens a file in this process, as a server does. */
const openHere = (file: string) =>
  createApp(readConfig({ database: `sqlite:${file}`, logLevel: 'silent' }, {}), { scheduler: false });

/** A server of its own on a file, with a tenant. */
async function start(name?: string): Promise<Running & { apiKey: string; file: string }> {
  const { file, settings, apiKey } = await makeFile(name);
  const server = await serve(settings);
  running.push(server);
  return { ...server, apiKey, file };
}

const restart = async (file: string) => {
  const server = await serve({ PERENNIAL_DATABASE: `sqlite:${file}` });
  running.push(server);
  return server;
};

/** Sends a request. Connections are kept and used again. */
async function ask(server: Pick<Running, 'url'> & { apiKey?: string }, where: string, body?: unknown) {
  const answer = await fetch(server.url + where, {
    headers: {
      ...(server.apiKey && { 'api-key': server.apiKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const headers = Object.fromEntries(answer.headers);
  return { status: answer.status, text, headers };
}

const write = (server: Running & { apiKey: string }, bytes = 10) =>
  ask(server, '/api/v1/groups', { tenantAlias: 'acme', name: 'x', metadata: { a: 'x'.repeat(bytes) } });
/** Sends a write but for the end of its body; resolves when the server has begun to read it, with how it is finished. */
function beginWrite(server: Running & { apiKey: string }): Promise<() => Promise<number>> {
  const body = JSON.stringify({ tenantAlias: 'acme', name: 'slow' });
  const sent = request(`${server.url}/api/v1/groups`, {
    method: 'POST',
    headers: {
      'api-key': server.apiKey,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode!));
    });
  });
  return new Promise((resolve) => {
    sent.on('continue', () => {
      sent.write(body.slice(0, 10));
      resolve(() => {
        sent.end(body.slice(10));
        return answered;
      });
    });
    sent.flushHeaders();
  });
}

const read = (server: Running & { apiKey: string }) => ask(server, '/api/v1/groups?limit=1&tenantAlias=acme');
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('SIGTERM', () => {
  it('drains: readiness ends first, no connection breaks, live connections are closed, exit code 0', async () => {
    const server = await start();
    const following = await follow(server.url, server);
    const stream = fetch(`${server.url}/graphql/stream?query=${encodeURIComponent(traceRecorded)}`, {
      headers: { 'api-key': server.apiKey },
    }).then((answer) => answer.text());
    const failures: string[] = [];
    let answered = 0;
    let over = false;
    const clients = Array.from({ length: 8 }, async () => {
      while (!over) {
        try {
          const { status, headers } = await write(server);
          if (status === 201) answered += 1;
          else failures.push(String(status));
          // The next connection would lead elsewhere.
          if (headers['connection'] === 'close') break;
        } catch (error) {
          failures.push(String((error as { cause?: { code: string } }).cause?.code));
        }
      }
    });
    await expect.poll(() => answered).toBeGreaterThan(10);
    const finishSlow = await beginWrite(server);
    server.process.kill('SIGTERM');
    const readiness = async () => {
      const { status, headers } = await ask(server, '/readyz');
      return [status, headers['retry-after'], headers['connection']];
    };
    await expect.poll(readiness).toEqual([503, '1', 'close']);
    expect((await ask(server, '/livez')).status).toBe(200);
    expect((await write(server)).status).toBe(201);
    expect(await finishSlow()).toBe(201);
    expect(await server.ended).toBe(0);
    over = true;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    expect(following.closed).toMatchObject({ code: 1001 });
    expect(await stream).toContain('event: next');
    const kept = new Database(server.file, { readonly: true });
    const groups = kept.prepare('select count(*) from groups').pluck().get() as number;
    expect(groups).toBe(answered + 2);
    kept.close();
  });
});

const small = path.join(folder, 'small');
const canMount = (() => {
  try {
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', small], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
afterAll(() => {
  if (canMount) execFileSync('umount', ['-l', small]);
});

describe.runIf(canMount)('a full disk', () => {
  it('makes writes fail with 503, keeps reads working, and needs no restart afterwards', async () => {
    const ballast = path.join(small, 'ballast');
    writeFileSync(ballast, Buffer.alloc(1_500_000));
    const server = await start(path.join(small, 'full.db'));
    const statuses: number[] = [];
    let last = await write(server, 400);
    for (let turn = 0; turn < 5000 && last.status === 201; turn++) {
      statuses.push(last.status);
      last = await write(server, 400);
    }
    expect([last.status, last.headers['retry-after']]).toEqual([503, '1']);
    expect(last.text).toContain('"reason":"unavailable"');
    expect(last.text).not.toMatch(/sqlite|disk|full\.db/i);
    for (let turn = 0; turn < (isLong ? 20 : 5); turn++) {
      expect((await write(server, 400)).status).toBe(503);
      expect((await read(server)).status).toBe(200);
      expect((await ask(server, '/livez')).status).toBe(200);
    }
    rmSync(ballast);
    expect((await write(server, 400)).status).toBe(201);
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    const kept = new Database(server.file, { readonly: true });
    expect(kept.prepare('select count(*) from groups').pluck().get()).toBe(statuses.length + 1);
    expect(kept.prepare(`select count(*) from traces where activity_type = 'GroupEvent'`).pluck().get()).toBe(
      statuses.length + 1,
    );
    expect(kept.pragma('integrity_check', { simple: true })).toBe('ok');
    kept.close();
  });
});

describe('a foreign lock on the file', () => {
  it('makes writes fail with 503; reads and /livez keep working', async () => {
    const server = await start();
    const other = new Database(server.file);
    other.exec('BEGIN IMMEDIATE');
    let over = false;
    const writers = Array.from({ length: 8 }, async () => {
      const seen = new Set<number>();
      while (!over) seen.add((await write(server)).status);
      return seen;
    });
    let overtaken = 0;
    const turns = isLong ? 30 : 10;
    for (let turn = 0; turn < turns; turn++) {
      const answered: string[] = [];
      const recordAnswer = (name: string) => () => void answered.push(name);
      const refused = write(server).then(recordAnswer('write'));
      const livez = ask(server, '/livez').finally(recordAnswer('livez'));
      const [{ status }, rows] = await Promise.all([livez, read(server), refused]);
      expect([status, rows.status]).toEqual([200, 200]);
      if (answered[0] === 'livez') overtaken += 1;
    }
    over = true;
    for (const seen of await Promise.all(writers)) expect([...seen]).toEqual([503]);
    // A write waits for the lock; were that on the event loop, nothing would be answered before its refusal.
    expect(overtaken).toBeGreaterThan(turns / 2);
    other.exec('COMMIT');
    other.close();
    expect((await write(server)).status).toBe(201);
  });

  it('of another server stops the start with a message', async () => {
    const { file } = await makeFile();
    const app = await openHere(file);
    const { code, out } = await runProgram(['serve', '--port', '0'], {
      PERENNIAL_DATABASE: `sqlite:${file}`,
    });
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/is in use by another server; a database file has one/),
    ]);
    await app.close();
  });
});

describe('a damaged file', () => {
  const refusal = async (file: string) =>
    runProgram(['serve', '--port', '0'], { PERENNIAL_DATABASE: `sqlite:${file}` });

  const damages: [string, (file: string) => void, RegExp][] = [
    [
      'is something else',
      (file: string) => writeFileSync(file, 'Dear diary, '.repeat(1000)),
      /not a database/,
    ],
    [
      'has lost its end',
      (file: string) => truncateSync(file, 8192 + 100),
      /malformed|not made by it|not a database/,
    ],
    [
      'has another page size',
      (file: string) => spoil(file, 16, Buffer.from([0x02, 0x01])),
      /malformed|not a database/,
    ],
    [
      'has lost its tables',
      (file: string) => spoil(file, 100, Buffer.alloc(3996)),
      /malformed|not a database/,
    ],
  ];

  it.each(sampled(damages, 2))(
    'with %s is refused with a clear message and not changed',
    async (_, damage, word) => {
      const { file } = await makeFile();
      damage(file);
      const before = readFileSync(file);
      const { code, out } = await refusal(file);
      expect(code).toBe(1);
      expect(out.trim().split('\n')).toHaveLength(1);
      expect(out).toMatch(word);
      expect(out).toContain(file);
      expect(readFileSync(file).equals(before)).toBe(true);
    },
  );

  it('with a damaged page fails the requests that need the page, and serves all others', async () => {
    const { file, apiKey } = await makeFile();
    const app = await openHere(file);
    const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
    const payload = JSON.stringify({ tenantAlias: 'acme', name: 'x' });
    const written = await app.server.inject({ method: 'POST', url: '/api/v1/groups', headers, payload });
    expect(written.statusCode).toBe(201);
    await app.close();
    const database = new Database(file);
    const page = database.prepare(`select rootpage from sqlite_schema where name = 'groups'`).pluck().get();
    const size = database.pragma('page_size', { simple: true }) as number;
    database.close();
    spoil(file, ((page as number) - 1) * size, Buffer.alloc(size, 0xa5));
    const server = { ...(await restart(file)), apiKey };
    const query = (document: string) => ask(server, '/graphql', { query: document });
    const customer = (associatedId: string) =>
      ask(server, '/api/v1/customers', {
        tenantAlias: 'acme',
        associatedId,
        email: 'a@b.example',
        firstName: 'A',
        lastName: 'B',
      });
    for (let turn = 0; turn < 10; turn++) {
      const reads = [read(server), ask(server, '/api/v1/customers'), ask(server, '/livez')];
      const graphql = query('{ groups { nodes { id } } }');
      const refused = [(await Promise.all(reads))[0]!, await write(server)];
      for (const { status, text } of refused) {
        expect(status).toBe(500);
        expect(text).toContain('"reason":"internal_error"');
        expect(text).not.toMatch(/malformed|sqlite/i);
      }
      expect(JSON.parse((await graphql).text).errors[0].extensions.reason).toBe('internal_error');
      const served = [...reads.slice(1), customer(`a${turn}`)];
      expect((await Promise.all(served)).map(({ status }) => status)).toEqual([200, 200, 201]);
    }
    const listed = JSON.parse((await ask(server, '/api/v1/customers')).text);
    expect(listed.data).toHaveLength(10);
  });
});

function spoil(file: string, offset: number, bytes: Buffer) {
  const content = readFileSync(file);
  bytes.copy(content, offset);
  writeFileSync(file, content);
}

describe('an interrupted migration', () => {
  it('is completed by the next start, whenever the process was killed', async () => {
    const outcomes: string[] = [];
    const isKilled = () => outcomes.some((outcome) => outcome.startsWith('SIGKILL'));
    for (let turn = 0; turn < (isLong || !isKilled() ? 5 : 1); turn++) {
      const file = freshFile();
      const first = begin(['migrate'], { PERENNIAL_DATABASE: `sqlite:${file}` });
      await untilThere(file);
      await wait(turn * 4);
      first.process.kill('SIGKILL');
      const sizeBefore = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      outcomes.push(`${await first.ended} ${sizeBefore}`);
      const server = await restart(file);
      expect((await ask(server, '/readyz')).status).toBe(200);
      server.process.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      const kept = new Database(file, { readonly: true });
      expect(kept.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(kept.pragma('foreign_key_check')).toEqual([]);
      kept.close();
    }
    expect(isKilled()).toBe(true);
  });
});

async function untilThere(file: string) {
  for (let turn = 0; turn < 500 && !statSync(file, { throwIfNoEntry: false }); turn++) await wait(2);
}

/** The files of a database: who owns one, whole backups, who may read them, and what is said when they fail. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { root } from '../../sourceFiles.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { perennial } from '../../support/cli.ts';
import { isLong, sampled } from '../../support/sample.ts';
import { build, type Running } from '../../support/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-files-'));
const program = path.join(root, 'dist/perennial.mjs');
const running: Omit<Running, 'url'>[] = [];
let app: TestApp;
let client: Client;
let backup: string;
let count = 0;

const freshFolder = () => {
  const made = path.join(folder, String(++count));
  mkdirSync(made);
  return made;
};
/** Starts the program where the system would let everybody read what it makes. */
function beginOpenly(args: string[], settings: Record<string, string>): Omit<Running, 'url'> {
  const script = ['-c', 'umask 0; exec "$0" "$@"', process.execPath, program, ...args];
  const child = spawn('sh', script, { env: { ...process.env, ...settings } });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (out += chunk));
  const ended = new Promise<number | string>((done) =>
    child.on('close', (code, signal) => done(code ?? signal!)),
  );
  return { process: child, out: () => out, ended };
}
const readMode = (file: string) => statSync(file).mode & 0o777;

beforeAll(async () => {
  build();
  app = await startApp();
  client = await app.tenant({ alias: 'acme' });
  for (let index = 0; index < 40; index++) {
    const name = `customer ${index}`;
    const fields = {
      firstName: name,
      lastName: 'x'.repeat(150),
      associatedId: name,
      metadata: { a: 'y'.repeat(400) },
    };
    await client.rest('POST', '/customers', {
      tenantAlias: 'acme',
      email: `${index}@example.com`,
      ...fields,
    });
  }
  backup = path.join(folder, 'backup.db');
  expect(await perennial(app.database, ['backup', backup])).toMatchObject({ code: 0 });
});
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.process.kill('SIGKILL');
    await server.ended;
  }
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the lock belongs to the file, not to its name', () => {
  const start = (file: string) =>
    createApp(readConfig({ database: `sqlite:${file}`, logLevel: 'silent' }, {}), { scheduler: false });
  const inUse = /is in use by another server/;

  it('a second server is refused for a link, a link to its folder, and a relative path', async () => {
    const place = freshFolder();
    const file = path.join(place, 'real.db');
    const link = path.join(folder, `link-${count}.db`);
    const folderLink = path.join(folder, `folder-${count}`);
    symlinkSync(file, link);
    symlinkSync(place, folderLink);
    const first = await start(file);
    try {
      const names = [
        file,
        link,
        path.join(folderLink, 'real.db'),
        path.join(place, '..', path.basename(place), 'real.db'),
        path.relative(process.cwd(), file),
      ];
      for (const name of names) {
        await expect(start(name), name).rejects.toThrow(inUse);
        const said = await perennial(`sqlite:${name}`, ['restore', backup, '--force']);
        expect(said.err, name).toMatch(inUse);
      }
    } finally {
      await first.close();
    }
    const again = await start(link);
    await expect(start(file)).rejects.toThrow(inUse);
    await again.close();
    expect(readdirSync(place).toSorted()).toEqual(['real.db']);
  });

  it('a link to a missing file has the same lock', async () => {
    const place = freshFolder();
    const link = path.join(place, 'link.db');
    const file = path.join(freshFolder(), 'later.db');
    symlinkSync(file, link);
    const first = await start(link);
    await expect(start(file)).rejects.toThrow(inUse);
    await first.close();
  });

  it('a file with two hard links is refused, since its log is beside one of them', async () => {
    const place = freshFolder();
    const [one, two] = [path.join(place, 'one.db'), path.join(place, 'two.db')];
    const first = await start(one);
    linkSync(one, two);
    await expect(start(two)).rejects.toThrow(/several names \(hard links\)/);
    expect((await perennial(`sqlite:${two}`, ['tenant', 'list'])).err).toMatch(/hard links/);
    await first.close();
    rmSync(two);
    await (await start(one)).close();
  });

  it('restore through a link replaces the file and leaves the link', async () => {
    const place = freshFolder();
    const file = path.join(place, 'real.db');
    const link = path.join(place, 'link.db');
    await perennial(`sqlite:${file}`, ['tenant', 'create', 'before']);
    symlinkSync(file, link);
    expect(await perennial(`sqlite:${link}`, ['restore', backup, '--force'])).toMatchObject({
      code: 0,
      err: '',
    });
    expect(readdirSync(place).toSorted()).toEqual(['link.db', 'real.db', 'real.db.replaced']);
    expect((await perennial(`sqlite:${file}`, ['tenant', 'list', '--json'])).json.tenants).toHaveLength(1);
    const said = await perennial(`sqlite:${file}`, ['restore', link, '--force']);
    expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/is the database itself/) });
  });
});

describe('errors of files that cannot be opened or written name', () => {
  const nobody = 65_534;
  const asNobody = (args: string[], database: string) => {
    const env = { PATH: process.env['PATH']!, PERENNIAL_DATABASE: `sqlite:${database}` };
    const settings = { uid: nobody, gid: nobody, env, encoding: 'utf8' as const, cwd: '/' };
    return spawnSync(process.execPath, [program, ...args], settings);
  };
  const isRoot = process.getuid?.() === 0;
  const canRead =
    isRoot && spawnSync('cat', [program], { uid: nobody, gid: nobody, stdio: 'ignore' }).status === 0;

  it.runIf(canRead)('a folder without write permission', () => {
    const place = freshFolder();
    chmodSync(folder, 0o755);
    chmodSync(place, 0o755);
    for (const args of sampled([['serve'], ['tenant', 'create', 'a'], ['restore', backup]], 3)) {
      const { status, stderr } = asNobody(args, path.join(place, 'x.db'));
      expect([status, stderr], args[0]).toEqual([
        1,
        expect.stringMatching(/is not (writable|readable) for this user|Permission|EACCES/),
      ]);
      expect(stderr).not.toMatch(/in use by another server/);
    }
    expect(readdirSync(place)).toEqual([]);
  });

  it.runIf(canRead)('a read-only file', () => {
    const place = freshFolder();
    chmodSync(folder, 0o755);
    chownSync(place, nobody, nobody);
    const file = path.join(place, 'x.db');
    copyFileSync(backup, file);
    chmodSync(file, 0o444);
    const { status, stderr } = asNobody(['serve'], file);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/x\.db is not writable for this user/)]);
  });

  it('a folder that is a file, and a database that is a folder', async () => {
    const place = freshFolder();
    writeFileSync(path.join(place, 'file'), '');
    const inFile = await perennial(`sqlite:${path.join(place, 'file', 'x.db')}`, ['tenant', 'create', 'a']);
    expect(inFile).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is not a folder|file already exists|EEXIST/),
    });
    expect((await perennial(`sqlite:${place}`, ['tenant', 'list'])).err).not.toMatch(/another server/);
  });

  it.runIf(isRoot)(
    'a full disk, for a new database, a backup and a restore',
    async ({ skip, onTestFinished }) => {
      const small = path.join(folder, 'small');
      mkdirSync(small);
      const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=768k', 'tmpfs', small]).status === 0;
      if (!isMounted) skip('this machine does not allow to mount a file system');
      onTestFinished(() => void execFileSync('umount', ['-l', small]));
      const full = /is full/;
      const filler = path.join(small, 'filler');
      writeFileSync(filler, Buffer.alloc(700 * 1024));
      const begun = await perennial(`sqlite:${path.join(small, 'x.db')}`, ['tenant', 'create', 'a']);
      expect(begun).toMatchObject({ code: 1, err: expect.stringMatching(full) });
      for (const file of readdirSync(small)) if (file !== 'filler') rmSync(path.join(small, file));
      const saved = await perennial(app.database, ['backup', path.join(small, 'backup.db')]);
      expect(saved).toMatchObject({ code: 1, err: expect.stringMatching(full) });
      const restored = await perennial(`sqlite:${path.join(small, 'y.db')}`, ['restore', backup]);
      expect(restored).toMatchObject({ code: 1, err: expect.stringMatching(full) });
      const exported = await perennial(app.database, [
        'export',
        '--tenant',
        'acme',
        path.join(small, 'e.jsonl'),
      ]);
      expect(exported.code).toBe(1);
      expect(readdirSync(small)).toEqual(['filler']);
    },
  );
});

describe('a backup', () => {
  const restore = (file: string, place = path.join(freshFolder(), 'x.db')) =>
    perennial(`sqlite:${place}`, ['restore', file, '--json']);

  it('restores the database, without the checksum', async () => {
    const place = path.join(freshFolder(), 'x.db');
    const said = await restore(backup, place);
    expect(said, said.err).toMatchObject({ code: 0, err: '', json: { hasChecksum: true } });
    expect(statSync(backup).size % 4096).toBe(64);
    expect(statSync(place).size % 4096).toBe(0);
    expect(readdirSync(path.dirname(place))).toEqual(['x.db']);
  });

  it('is a database that SQLite opens, and doctor does not change it', async () => {
    const database = new Database(backup, { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.prepare('select count(*) from customers').pluck().get()).toBe(40);
    database.close();
    const before = readFileSync(backup);
    const said = await perennial(`sqlite:${backup}`, ['doctor', '--json']);
    expect(said).toMatchObject({ code: 0, json: { findings: [], examined: { tenants: 1 } } });
    expect(readFileSync(backup).equals(before)).toBe(true);
  });

  it('with a flipped bit in the header, the end or a random place is refused', async () => {
    const good = readFileSync(backup);
    // The bits that are hardest to notice. The others differ from run to run: TEST_SEED repeats one.
    const header = [0, 16, 17, 18, 19, 24, 27, 28, 29, 30, 31, 40, 60, 68, 92, 95, 99, 100];
    const end = [1, 10, 32, 33, 50, 64].map((fromEnd) => good.length - fromEnd);
    const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
    console.log(`flipped bits: TEST_SEED=${seed}`);
    const anyBit = fc.noBias(fc.nat({ max: good.length * 8 - 1 }));
    const random = isLong ? 60 : 4;
    const chosen = fc.sample(fc.uniqueArray(anyBit, { minLength: random, maxLength: random }), {
      seed,
      numRuns: 1,
    })[0]!;
    const hard = [...header, ...end].map((at, index) => at * 8 + (index % 8));
    const bits = [...sampled(hard, 4), ...chosen];
    expect(chosen).toHaveLength(random);
    const damaged = path.join(freshFolder(), 'damaged.db');
    const target = path.join(freshFolder(), 'x.db');
    for (const place of bits) {
      const [at, bit] = [Math.floor(place / 8), place % 8];
      const bytes = Buffer.from(good);
      bytes[at]! ^= 1 << bit;
      writeFileSync(damaged, bytes);
      const said = await perennial(`sqlite:${target}`, ['restore', damaged]);
      expect([said.code, said.err], `bit ${bit} of byte ${at}, seed ${seed}`).toEqual([
        1,
        expect.stringMatching(/damaged|no database file/),
      ]);
      const examined = await perennial(`sqlite:${damaged}`, ['doctor', '--json']);
      expect(examined.code, `the doctor, bit ${bit} of byte ${at}, seed ${seed}`).toBe(1);
      expect(examined.json.findings.length + (examined.json.error ? 1 : 0)).toBeGreaterThan(0);
      expect(readdirSync(path.dirname(target))).toEqual([]);
      expect(readdirSync(path.dirname(damaged))).toEqual(['damaged.db']);
    }
  });

  it('that was truncated anywhere is refused', async () => {
    const { size } = statSync(backup);
    for (const bytes of [size - 1, size - 32, size - 65, size - 4096, size - 4096 - 64, 4096, 100, 10]) {
      const file = path.join(freshFolder(), 'cut.db');
      copyFileSync(backup, file);
      truncateSync(file, bytes);
      expect(await restore(file), `${bytes}`).toMatchObject({ code: 1 });
    }
  });

  it('of an earlier release, without a checksum, is accepted with a warning', async () => {
    const file = path.join(freshFolder(), 'old.db');
    copyFileSync(backup, file);
    truncateSync(file, statSync(file).size - 64);
    const said = await restore(file);
    expect(said).toMatchObject({
      code: 0,
      json: { hasChecksum: false },
      err: expect.stringMatching(/has no checksum/),
    });
  });

  it('a database that has a log beside it is no backup', async () => {
    const said = await restore(app.path);
    expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/has a log beside it/) });
  });

  it('that was written to afterwards is refused', async () => {
    const file = path.join(freshFolder(), 'used.db');
    copyFileSync(backup, file);
    new Database(file).exec(`update customers set email = 'mallory@example.com'`).close();
    expect(await restore(file)).toMatchObject({ code: 1, err: expect.stringMatching(/written to after/) });
  });
});

describe('files are readable by their owner only', () => {
  it('under any umask: database, log, lock, backup, export', async () => {
    const place = freshFolder();
    const file = path.join(place, 'x.db');
    const settings = { PERENNIAL_DATABASE: `sqlite:${file}` };
    expect(await beginOpenly(['tenant', 'create', 'acme'], settings).ended).toBe(0);
    const server = beginOpenly(['serve', '--port', '0'], settings);
    running.push(server);
    await expect.poll(server.out).toMatch(/Server listening at/);
    const commands = [
      ['export', '--tenant', 'acme', path.join(place, 'e.jsonl')],
      ['backup', path.join(place, 'b.db')],
    ];
    const chosen = sampled(commands, 2);
    for (const command of chosen) expect(await beginOpenly(command, settings).ended).toBe(0);
    const files = readdirSync(place);
    expect(files).toEqual(
      expect.arrayContaining([
        'x.db',
        'x.db-wal',
        'x.db-shm',
        'x.db.lock',
        ...chosen.map((command) => path.basename(command.at(-1)!)),
      ]),
    );
    for (const name of files) expect([name, readMode(path.join(place, name))]).toEqual([name, 0o600]);
  });

  it('incomplete files have random names and are private', async () => {
    const place = freshFolder();
    const target = path.join(place, 'b.db');
    // A link that waits at the name which the earlier release used.
    const victim = path.join(freshFolder(), 'victim');
    writeFileSync(victim, 'untouched');
    symlinkSync(victim, `${target}.part`);
    const seen = new Map<string, number>();
    const backingUp = beginOpenly(['backup', target], { PERENNIAL_DATABASE: app.database });
    running.push(backingUp);
    let isOver = false;
    void backingUp.ended.then(() => (isOver = true));
    while (!isOver) {
      for (const name of readdirSync(place)) {
        const found = statSync(path.join(place, name), { throwIfNoEntry: false });
        if (found && name !== 'b.db.part') seen.set(name, found.mode & 0o777);
      }
      await new Promise((done) => setImmediate(done));
    }
    expect(await backingUp.ended).toBe(0);
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect([...seen.keys()].some((name) => /^b\.db\.[0-9a-f]{16}\.part/.test(name))).toBe(true);
    for (const [name, mode] of seen) expect([name, mode & 0o077]).toEqual([name, 0]);
    expect(readdirSync(place).toSorted()).toEqual(['b.db', 'b.db.part']);
  });

  it('a backup does not overwrite a file created meanwhile, and follows no link', async () => {
    const target = path.join(freshFolder(), 'b.db');
    symlinkSync(path.join(folder, 'nowhere'), target);
    expect(await perennial(app.database, ['backup', target])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is there already/),
    });
    expect(existsSync(path.join(folder, 'nowhere'))).toBe(false);
    expect(readdirSync(path.dirname(target))).toEqual(['b.db']);
  });

  it('a failed restore leaves no files, and removes those of a killed one', async () => {
    const bad = path.join(freshFolder(), 'bad.db');
    writeFileSync(bad, 'no database'.repeat(100));
    const deep = path.join(freshFolder(), 'a', 'b', 'x.db');
    expect(await perennial(`sqlite:${deep}`, ['restore', bad])).toMatchObject({ code: 1 });
    expect(existsSync(path.join(deep, '..', '..'))).toBe(false);
    const place = freshFolder();
    const left = path.join(place, 'x.db.0123456789abcdef.part');
    const other = path.join(place, 'x.db.notes.part');
    for (const file of [left, `${left}-journal`, other]) writeFileSync(file, '');
    expect(await perennial(`sqlite:${path.join(place, 'x.db')}`, ['restore', backup])).toMatchObject({
      code: 0,
    });
    expect(readdirSync(place).toSorted()).toEqual(['x.db', 'x.db.notes.part']);
  });
});

describe('damage is reported', () => {
  it.each<[string, (file: string) => string[], number]>([
    ['there is no file', () => [], 1],
    ['the file is empty text', (file) => (writeFileSync(file, 'x'.repeat(5000)), []), 1],
    ['it is a folder', (file) => (mkdirSync(file), []), 1],
    ['its header is damaged', (file) => (copyFileSync(backup, file), flip(file, 3), []), 1],
    ['its schema is damaged', (file) => (copyFileSync(backup, file), flip(file, 110), []), 1],
    ['it is of a newer release', (file) => (newer(file), []), 1],
    ['it is of another program', (file) => (new Database(file).exec('create table t (x)').close(), []), 1],
    ['an option is unknown', () => ['--nonsense'], 2],
    ['a setting is wrong', () => ['--database', 'mysql://x'], 1],
    ['PostgreSQL does not answer', () => ['--database', 'postgres://127.0.0.1:1/x'], 1],
  ])('doctor --json is JSON where %s', async (_, make, code) => {
    const file = path.join(freshFolder(), 'x.db');
    const said = await perennial(`sqlite:${file}`, ['doctor', '--json', ...make(file)]);
    expect(said.code).toBe(code);
    const printed = JSON.parse(said.out);
    expect(Array.isArray(printed.findings)).toBe(true);
    if (code > 0) expect(printed.error ?? printed.findings[0].found).toMatch(/^(?!error:).*\w/);
  });

  function flip(file: string, at: number) {
    const bytes = readFileSync(file);
    bytes[at]! ^= 4;
    writeFileSync(file, bytes);
  }
  function newer(file: string) {
    copyFileSync(backup, file);
    truncateSync(file, statSync(file).size - 64);
    new Database(file).exec("insert into migrations (tag, hash) values ('9999_later', 'x')").close();
  }
});

/** Files that an earlier release exported come here whole, as its database would by the migrations. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import type { Scratch } from '../support/engines.ts';
import { sampled, sampledInCore } from '../support/sample.ts';
import {
  examined,
  openFixture,
  placeExport,
  placeFixture,
  releases,
  sizes,
  startAt,
} from '../support/fixtures.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-earlier-'));
afterAll(() => rmSync(folder, { recursive: true }));

const aliases = ['acme', 'acme-test'];

// Of the others the databases are opened.
describe.each(sampledInCore(sampled(releases, 2, 1), 5))('files of %s', (release) => {
  // The files were written from the SQLite database.
  const fixture = openFixture(release, 'sqlite');
  let origin: Scratch;
  let app: TestApp;
  let files: Record<string, string>;

  beforeAll(async () => {
    origin = await placeFixture(release, 'sqlite');
    files = Object.fromEntries(aliases.map((alias) => [alias, placeExport(release, alias, folder)]));
  });
  afterAll(() => origin.drop());
  beforeEach(async () => {
    app = await startAt(fixture, undefined, { rateLimitPerSecond: '10000' });
  });
  afterEach(() => app.close());

  const exported = async (database: string, alias: string, name: string) => {
    const file = path.join(folder, name);
    const said = await perennial(database, ['export', '--tenant', alias, file, '--force']);
    expect(said.code, said.err).toBe(0);
    return readFileSync(file, 'utf8');
  };

  /** Imports lines that were changed; returns what is said, and expects that nothing was kept. */
  const refused = async (alias: string, change: (line: string) => string) => {
    const file = path.join(folder, 'changed.jsonl');
    const text = readFileSync(files[alias]!, 'utf8');
    const changed = text.split('\n').map(change).join('\n');
    expect(changed).not.toBe(text);
    writeFileSync(file, changed);
    const said = await perennial(app.database, ['import', file]);
    expect(said.code, said.out).toBe(1);
    expect((await perennial(app.database, ['tenant', 'list', '--json'])).json).toEqual({ tenants: [] });
    return said.out;
  };

  it('are the same afterwards as the migrated database, row by row, and add up', async () => {
    for (const alias of aliases) {
      const trial = await perennial(app.database, ['import', files[alias]!, '--dry-run', '--json']);
      expect(trial.json, trial.out + trial.err).toMatchObject({ kept: false, faulty: 0 });
      const said = await perennial(app.database, ['import', files[alias]!, '--json']);
      expect(said.json, said.out + said.err).toMatchObject({ kept: true, faulty: 0 });
      const imported = await exported(app.database, alias, 'imported.jsonl');
      expect(imported).toBe(await exported(origin.url, alias, 'migrated.jsonl'));
    }
    const { findings, examined: seen } = await examined(app);
    expect(findings).toEqual([]);
    expect(seen).toMatchObject({ tenants: 2, ...sizes[release] });
    const lines = await app.backdoor.all(
      `select * from invoice_lines where credited_minor <> 0 or refunded_minor <> 0 or credited_line_id is not null`,
    );
    if (release === '0.1.0') expect(lines.length).toBeGreaterThan(5);
  });

  it('keep working: API keys, searches, pending plan changes, renewals', async () => {
    for (const alias of aliases) await perennial(app.database, ['import', files[alias]!]);
    const client = app.client(fixture.keys['acme-test']!);
    const { products } = await client.graphql('{ products(name: "σίσυφος") { nodes { id } } }');
    expect(products.nodes).toEqual([{ id: fixture.ids['productOfGreekName'] }]);
    const cancel = 'mutation ($id: ID!) { cancelIntent(id: $id) { status } }';
    const { cancelIntent } = await client.graphql(cancel, { id: fixture.ids['upgradeByHand'] });
    expect(cancelIntent.status).toBe('cancelled');
    // The credit that the change had reserved is there to be refunded again.
    const reserved = await app.backdoor.all(
      `select l.* from invoice_lines l join invoices i on i.tenant_alias = l.tenant_alias and i.id = l.invoice_id
       where i.subscription_id = '${fixture.ids['waitingUpgrade']}' and l.credited_minor > 0`,
    );
    expect(reserved).toEqual([]);
    await client.graphql('mutation { advanceClock(input: { to: "2026-04-02" }) { clock } }');
    expect((await examined(app)).findings).toEqual([]);
  });

  it('are refused if changed, or if a column of every release is missing', async () => {
    const changed = await refused('acme', (line) =>
      line.replace('"lastName":"Weiß"', '"lastName":"Schwarz"'),
    );
    expect(changed).toMatch(/ customers was changed after the export\n/);
    const missing = await refused('acme', (line) => line.replace('"lastName":"Weiß",', ''));
    expect(missing).toMatch(/:\d+ customers\.lastName is missing\n/);
    const unset = await refused('acme', (line) =>
      line.startsWith('{"table":"products"') ? line.replace(/"expiresAt":null,/, '') : line,
    );
    expect(unset).toMatch(/ products was changed after the export\n/);
  });

  it('of a later release are refused, naming the unknown column', async () => {
    const out = await refused('acme', (line) =>
      line.startsWith('{"table":"products"') ? line.replace('"row":{', '"row":{"colour":null,') : line,
    );
    expect(out).toMatch(/:\d+ products\.colour is not a column of this release\n/);
    const inherited = await refused('acme', (line) =>
      line.startsWith('{"table":"products"') ? line.replace('"row":{', '"row":{"toString":null,') : line,
    );
    expect(inherited).toMatch(/:\d+ products\.toString is not a column of this release\n/);
    const version = await refused('acme', (line) => line.replace('"version":1', '"version":2'));
    expect(version).toMatch(/:1 has version 2; this release reads version 1\n/);
  });
});

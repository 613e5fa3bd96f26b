// Fills a database with a year of taxed documents, sums its days, and asks for the report and its documents.
import assert from 'node:assert';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { sumTaxes } from '../../../src/insights/tax/sumTaxes.ts';
import { completeRow } from '../../../src/storage/query/tableMeta.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import { createTenant, findTenant } from '../../../src/tenancy/tenants.ts';
import { startEmbedded } from '../../../test/support/embedded.ts';
import { sellerIn } from '../../../test/support/taxes.ts';
import { cpuMicros } from '../servers/processes.mjs';

const [engine, invoices, notes] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const tenantAlias = 'acme';
const startMs = Date.parse('2025-01-01T00:00:00.000Z');
const yearMs = 365 * 86_400_000;
const repeats = 4;
const rowsAtOnce = 1000;

const server = engine === 'postgres' ? await startEmbedded() : undefined;
const database = server
  ? `${server.address}/postgres`
  : `sqlite:${path.join(mkdtempSync(path.join(tmpdir(), 'perennial-bench-')), 'bench.db')}`;
const secretKey = Buffer.alloc(32, 7).toString('base64');
const config = readConfig({ database, secretKey, logLevel: 'error', rateLimitPerSecond: '100000' }, {});
const { service, server: http } = await createApp(config, { scheduler: false });
await createTenant(service, { alias: tenantAlias });
const { apiKey } = await createKey(service, { tenant: tenantAlias });

/** Countries with their terms, by their share of the documents; few are of Malta. */
const places = [
  { country: 'DE', category: 'S', percent: '19', share: 60 },
  { country: 'FR', category: 'S', percent: '20', share: 30 },
  { country: 'AT', category: 'AE', percent: '0', reason: 'reverse_charge', share: 9.999 },
  { country: 'MT', category: 'S', percent: '18', share: 0.001 },
];
let seed = 1;
const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
function choosePlace() {
  let left = random() * 100;
  return places.find(({ share }) => (left -= share) < 0) ?? places[0];
}
const instant = (share) => new Date(startMs + Math.floor(share * yearMs)).toISOString();
const number = (nth) => String(nth).padStart(26, '0');

/** The sums of the documents by the terms of their rows. */
const expected = new Map();
function expectTax(kind, currency, { country, percent }, taxable, tax) {
  const key = [country, percent, currency].join(' ');
  const sums = expected.get(key) ?? { invoiced: [0, 0, 0], credited: [0, 0, 0] };
  expected.set(key, sums);
  [1, taxable, tax].forEach((amount, nth) => (sums[kind][nth] += amount));
}

function buildInvoice(nth) {
  const { share: _, ...place } = choosePlace();
  const { country, ...terms } = place;
  const currency = nth % 10 === 0 ? 'usd' : 'eur';
  const taxable = 1000 + Math.floor(random() * 100_000);
  const tax = Math.round((taxable * Number(place.percent)) / 100);
  const at = instant(nth / invoices);
  expectTax('invoiced', currency, place, taxable, tax);
  const row = completeRow('invoices', {
    tenantAlias,
    id: `inv_${number(nth)}`,
    number: nth + 1,
    customerId: `cus_${nth % rowsAtOnce}`,
    billingReason: 'one_off',
    status: 'paid',
    currency,
    totalMinor: BigInt(taxable + tax),
    refundedMinor: 0n,
    cycleStart: at,
    cycleEnd: at,
    attempts: 1,
    documentNumber: `RE-${nth + 1}`,
    issuedAt: at,
    createdAt: at,
    updatedAt: at,
    taxCountry: country,
    taxes: [{ ...terms, taxableMinor: String(taxable), taxMinor: String(tax) }],
  });
  return { row, place, taxable, tax };
}

function buildNote(nth, { row, place, taxable, tax }) {
  const [credited, creditedTax] = [Math.floor(taxable / 2), Math.floor(tax / 2)];
  expectTax('credited', row.currency, place, credited, creditedTax);
  const taxes = [{ ...row.taxes[0], taxableMinor: String(credited), taxMinor: String(creditedTax) }];
  return completeRow('creditNotes', {
    tenantAlias,
    id: `cn_${number(nth)}`,
    documentNumber: `CN-${nth + 1}`,
    invoiceId: row.id,
    customerId: row.customerId,
    kind: 'credit',
    status: 'issued',
    currency: row.currency,
    totalMinor: BigInt(credited + creditedTax),
    taxes,
    lines: [],
    issuedAt: row.createdAt,
    createdAt: row.createdAt,
    updatedAt: row.createdAt,
  });
}

const customers = Array.from({ length: rowsAtOnce }, (_, nth) =>
  completeRow('customers', {
    tenantAlias,
    id: `cus_${nth}`,
    associatedId: String(nth),
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    metadata: {},
    createdAt: instant(0),
    updatedAt: instant(0),
  }),
);
await service.store.load(async ({ queries }) => {
  await queries.update('tenants', { alias: tenantAlias }, { seller: sellerIn('DE') });
  await queries.insertMany('customers', customers);
  const every = Math.max(1, Math.floor(invoices / notes));
  for (let next = 0; next < invoices; next += rowsAtOnce) {
    const length = Math.min(rowsAtOnce, invoices - next);
    const made = Array.from({ length }, (_, nth) => buildInvoice(next + nth));
    const credited = made.flatMap((invoice, nth) =>
      (next + nth) % every === 0 ? [buildNote((next + nth) / every, invoice)] : [],
    );
    await queries.insertMany(
      'invoices',
      made.map(({ row }) => row),
    );
    await queries.insertMany('creditNotes', credited);
  }
});

const send = async (query, variables) => {
  const response = await http.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'api-key': apiKey },
    payload: { query, variables },
  });
  const { data, errors } = response.json();
  if (errors) throw new Error(JSON.stringify(errors), { cause: errors });
  return data;
};

/** The processor time of this process, its threads and the database: what a question takes on a quiet machine. */
const pids = [process.pid];
if (server)
  pids.push(Number(readFileSync(path.join(server.dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]));

const measured = [];

/** Performs work several times; meanwhile another request is repeated. */
async function measure(name, work, times = repeats) {
  const durations = [];
  let [waitedMs, isDone] = [0, false];
  const others = (async () => {
    while (!isDone) {
      const begunAt = performance.now();
      await send('{ customer(id: "cus_1") { id } }');
      waitedMs = Math.max(waitedMs, performance.now() - begunAt);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  let cpuAt = cpuMicros(pids);
  let result;
  for (let turn = 0; turn < times; turn++) {
    if (turn === 1) cpuAt = cpuMicros(pids);
    const begunAt = performance.now();
    result = await work();
    durations.push(performance.now() - begunAt);
  }
  isDone = true;
  const cpuMs = (cpuMicros(pids) - cpuAt) / Math.max(1, times - 1) / 1000;
  await others;
  const [firstMs, ...rest] = durations;
  const medianMs = rest.toSorted((a, b) => a - b)[rest.length >> 1] ?? firstMs;
  measured.push({ name, firstMs, medianMs, cpuMs, waitedMs });
  return result;
}

const sum = 'documents taxable { decimal } tax { decimal }';
const reportQuery = `{ taxReport(input: { from: "2025-01-01", until: "2026-01-01", by: year }) {
  rows { country percent currency invoiced { ${sum} } credited { ${sum} } } } }`;
const listQuery = `query ($input: TaxDocumentsInput!, $first: Int, $after: String, $last: Int, $count: Boolean!) {
  taxDocuments(input: $input, first: $first, after: $after, last: $last) {
    nodes { documentId taxable { decimal } } totalCount @include(if: $count) pageInfo { endCursor } } }`;
const year = { from: '2025-01-01', until: '2026-01-01' };
const list = async (input, { first = 50, ...page } = {}, count = false) =>
  (await send(listQuery, { input: { ...year, ...input }, first: page.last ? null : first, count, ...page }))
    .taxDocuments;

/** Compares each figure of the report with the sum of the documents that were inserted. */
function compareReport({ taxReport: { rows } }) {
  assert.equal(rows.length, expected.size);
  for (const { country, percent, currency, ...figures } of rows) {
    const wanted = expected.get([country, percent, currency].join(' '));
    for (const kind of ['invoiced', 'credited']) {
      const { documents, taxable, tax } = figures[kind];
      const found = [documents, Math.round(taxable.decimal * 100), Math.round(tax.decimal * 100)];
      assert.deepEqual(found, wanted[kind], `${kind} of ${country} ${percent} ${currency}`);
    }
  }
}

const tenant = openScheduledTenant(service, await findTenant(service, tenantAlias), 'system:operator');
await measure(
  'making the sums of all days',
  async () => {
    while (await sumTaxes(tenant));
  },
  1,
);
compareReport(await measure('taxReport of the year', () => send(reportQuery)));
await measure('taxDocuments, the latest 50', () => list());
const { pageInfo } = await list();
await measure('… the next 50', () => list({}, { after: pageInfo.endCursor }));
await measure('… the earliest 50', () => list({}, { last: 50 }));
await measure('… of one rate', () => list({ country: 'FR', category: 'S', percent: '20', reason: null }));
const rare = { country: 'MT', kind: 'invoice' };
await measure('… of a rare country', () => list(rare));
await measure('… its credit notes', () => list({ country: 'MT', kind: 'credit_note' }));
const { totalCount } = await measure('… with totalCount', () => list({}, {}, true));
const totals = [...expected.values()];
assert.equal(
  totalCount,
  totals.reduce((total, { invoiced, credited }) => total + invoiced[0] + credited[0], 0),
);
const found = await list(rare, { first: 100 }, true);
const wanted = [...expected].filter(([key]) => key.startsWith('MT')).map(([, { invoiced }]) => invoiced[0]);
assert.equal(
  found.totalCount,
  wanted.reduce((total, each) => total + each, 0),
);
assert.equal(found.nodes.length, Math.min(100, found.totalCount));
process.send(measured, () => {
  void Promise.resolve(server?.remove()).then(() => process.exit());
});

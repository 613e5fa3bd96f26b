// Fills a database with years of revenue, by the functions that record it, and asks for figures over HTTP.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { computeMovements, sumCustomerMrr } from '../../../src/billing/pricing/mrrMovements.ts';
import { createSums } from '../../../src/insights/revenue/recordSums.ts';
import { findDay, findQuarter } from '../../../src/insights/revenue/spans.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { startEmbedded } from '../../../test/support/embedded.ts';
import { cpuMicros } from '../servers/processes.mjs';

const [engine, subscriptions, years] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const tenantAlias = 'acme';
const startMs = Date.parse('2016-01-01T00:00:00.000Z');
const dayMs = 86_400_000;
const days = Math.round(years * 365.25);
const repeats = 20;
const rowsAtOnce = 1000;

let seed = 1;
const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
const instant = (day) => new Date(startMs + Math.floor(day * dayMs)).toISOString();

const server = engine === 'postgres' ? await startEmbedded() : undefined;
const database = server
  ? `${server.address}/postgres`
  : `sqlite:${path.join(mkdtempSync(path.join(tmpdir(), 'perennial-bench-')), 'bench.db')}`;
const secretKey = Buffer.alloc(32, 7).toString('base64');
const config = readConfig({ database, secretKey, logLevel: 'error', rateLimitPerSecond: '10000' }, {});
const { service, server: http } = await createApp(config, { scheduler: false });
await createTenant(service, { alias: tenantAlias });
const { apiKey } = await createKey(service, { tenant: tenantAlias });

const build = (list, net, state = 'active', cancelling = false) => ({
  currency: 'usd',
  list: String(list),
  net: String(net),
  state,
  ...(cancelling && { cancelling }),
});

/** The life of a subscription: a trial for some, changes, failures, and for most an end. */
function* live(nth) {
  let day = random() * days;
  const price = 1000 + Math.floor(random() * 20) * 500;
  let mrr = build(
    price,
    nth % 7 === 0 ? Math.round(price * 0.8) : price,
    nth % 4 === 0 ? 'trialing' : 'active',
  );
  yield { day, before: null, after: mrr };
  for (;;) {
    day += mrr.state === 'trialing' ? 14 : 30 + random() * 400;
    if (day >= days) return;
    const before = mrr;
    const fate = random();
    if (mrr.state === 'trialing') mrr = { ...mrr, state: 'active' };
    else if (fate < 0.3)
      mrr = { ...mrr, list: String(Number(mrr.list) + 500), net: String(Number(mrr.net) + 500) };
    else if (fate < 0.5) {
      mrr = { ...mrr, state: 'past_due' };
      yield { day, before, after: mrr };
      const after = { ...mrr, state: 'active' };
      yield { day: day + 2, before: mrr, after };
      mrr = after;
      continue;
    } else if (fate < 0.8) {
      mrr = build(mrr.list, mrr.net, 'active', true);
      yield { day, before, after: mrr };
      yield { day: day + 20, before: mrr, after: null };
      return;
    }
    if (mrr !== before) yield { day, before, after: mrr };
  }
}

const movements = [];
for (let nth = 0; nth < subscriptions; nth++) {
  const customer = sumCustomerMrr([], []);
  const ids = { tenantAlias, customerId: `cus_${nth}`, subscriptionId: `sub_${nth}`, currency: 'usd' };
  for (const { day, ...change } of live(nth))
    for (const movement of computeMovements(customer, { at: instant(day), ...change }))
      movements.push({ ...ids, id: `mrr_${String(movements.length).padStart(9, '0')}`, ...movement });
}

/** Renewals at any time of the day: a third of the subscriptions is charged in a month. */
const spans = new Map();
for (let renewal = 0; renewal < (subscriptions * years * 12) / 3; renewal++) {
  const at = instant(random() * days);
  for (const [span, start] of [
    ['quarter', findQuarter(at)],
    ['day', findDay(at, 'UTC')],
  ]) {
    const key = `${span} ${start}`;
    const sums = spans.get(key) ?? { tenantAlias, currency: 'usd', span, at: start, ...createSums() };
    sums.paidMinor += 5000n;
    sums.invoicedMinor += 5000n;
    spans.set(key, sums);
  }
}
const sums = [...spans.values()];
await service.store.load(async ({ queries }) => {
  for (let next = 0; next < movements.length; next += rowsAtOnce)
    await queries.insertMany('mrrMovements', movements.slice(next, next + rowsAtOnce));
  for (let next = 0; next < sums.length; next += rowsAtOnce)
    await queries.insertMany('revenueSums', sums.slice(next, next + rowsAtOnce));
});

const money = ['mrrStart', 'new', 'expansion', 'contraction', 'churn', 'reactivation', 'mrrEnd', 'netRevenue']
  .map((name) => `${name} { decimal }`)
  .join(' ');
const ask = async (query, variables) => {
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
const revenue = `query ($timeZone: String, $definition: MrrDefinitionInput, $by: RevenueInterval) {
  revenue(currency: "usd", from: "2016-01-01", until: "${instant(days).slice(0, 10)}", by: $by, timeZone: $timeZone,
    definition: $definition) { points { start ${money} activeCustomers nrr arpu { decimal } } total { nrr } }
}`;
const cohorts = `query ($timeZone: String) { cohorts(currency: "usd", from: "2016-01-01", timeZone: $timeZone,
  until: "${instant(days).slice(0, 10)}") {
  month customers ages { age customers customerRetention mrrRetention } } }`;
const questions = {
  'revenue by month': () => ask(revenue),
  'revenue by month, committed': () => ask(revenue, { definition: { cancelling: false, discounts: 'none' } }),
  'revenue by week': () => ask(revenue, { by: 'week' }),
  'revenue by month in Kathmandu': () => ask(revenue, { timeZone: 'Asia/Kathmandu' }),
  'revenue by week in Kathmandu': () => ask(revenue, { by: 'week', timeZone: 'Asia/Kathmandu' }),
  'cohorts by month': () => ask(cohorts),
  'cohorts by month in Kathmandu': () => ask(cohorts, { timeZone: 'Asia/Kathmandu' }),
};
/** The processor time of this process, its threads and the database: what a question takes on a quiet machine. */
const pids = [process.pid];
if (server)
  pids.push(Number(readFileSync(path.join(server.dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]));
const durations = {};
for (const [name, question] of Object.entries(questions)) {
  const measured = [];
  let cpuAt;
  for (let repeat = 0; repeat <= repeats; repeat++) {
    if (repeat === 1) cpuAt = cpuMicros(pids);
    const begunAt = performance.now();
    await question();
    measured.push(performance.now() - begunAt);
  }
  const [first, ...rest] = measured;
  const sorted = rest.toSorted((one, other) => one - other);
  const cpu = (cpuMicros(pids) - cpuAt) / repeats / 1000;
  durations[name] = { first, median: sorted[repeats / 2], longest: sorted.at(-1), cpu };
}
process.send({ movements: movements.length, sums: sums.length, durations }, () => {
  void Promise.resolve(server?.remove()).then(() => process.exit());
});

// `npm run stress -- gateways --subscriptions 10000`: two gateways and a billing run, each a separate process,
// bill the same due subscriptions on one PostgreSQL; `--kill` ends one of the gateways with kill -9 in between.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { load } from '../build/bundle.mjs';
import { ensureBuilt, program } from '../setup.mjs';

const { values } = parseArgs({
  options: {
    subscriptions: { type: 'string', default: '10000' },
    kill: { type: 'boolean', default: false },
    /** The number of gateways beside the billing run. */
    gateways: { type: 'string', default: '2' },
    /** `postgres://user:password@host:port` of an existing server; by default an embedded one is started. */
    server: { type: 'string' },
  },
});
const subscriptions = Number(values.subscriptions);
const hourMs = 3_600_000;

ensureBuilt();
const cluster = await load('test/stress/torture/cluster.ts');
const server = values.server ? undefined : await cluster.startEmbedded();
const address = values.server ?? server.address;
const name = `gateways_${process.pid}`;
await cluster.administer(address, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
const url = `${address}/${name}`;
const backdoor = cluster.behindPostgres(url);
const children = [];
try {
  await prepare();
  const begunAt = performance.now();
  for (let number = 1; number <= Number(values.gateways); number++)
    start(`gateway-${number}`, 'serve', '--port', '0');
  start('run', 'bill');
  const seconds = await waitUntilAllBilled(begunAt);
  await report(seconds);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await backdoor.close();
  await cluster.administer(address, `DROP DATABASE ${name} WITH (FORCE)`);
  await server?.remove();
}
process.exit();

async function prepare() {
  const service = await cluster.openOn(url);
  const startsAt = new Date(Date.now() - hourMs).toISOString();
  const due = { alias: 'acme', subscriptions, startsAt, frequency: 'Monthly', methods: ['sandbox_ok'] };
  await cluster.prepareDue(service, due);
  await service.store.close();
  await cluster.watchBillers(backdoor);
}

function start(label, ...args) {
  const database = `${url}?application_name=${label}`;
  const child = spawn(process.execPath, [program, ...args, '--database', database, '--log-level', 'error'], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(child);
}

async function waitUntilAllBilled(begunAt) {
  let victim = values.kill ? children[0] : undefined;
  for (;;) {
    const [{ count }] = await backdoor.all(
      "SELECT count(*)::int AS count FROM invoices WHERE status = 'paid'",
    );
    if (count >= subscriptions) return (performance.now() - begunAt) / 1000;
    if (victim && count > subscriptions / 4) {
      victim.kill('SIGKILL');
      victim = undefined;
    }
    await pause(100);
  }
}

async function report(seconds) {
  // The remaining claims are released with the last units.
  await pause(500);
  const { billers, wrong } = await cluster.reckon(backdoor, subscriptions);
  const perSecond = Math.round(subscriptions / seconds);
  console.log({ subscriptions, seconds: Math.round(seconds * 10) / 10, perSecond, billers, wrong });
  const isShared = Object.keys(billers).length === children.length;
  process.exitCode = Object.keys(wrong).length === 0 && isShared ? 0 : 1;
}

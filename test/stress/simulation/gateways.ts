import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openService } from '../../../src/app/app.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { readConfig } from '../../../src/config/config.ts';
import { randomFrom } from '../../../src/lib/random.ts';
import { addMs } from '../../../src/lib/time.ts';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { openTenant } from '../../../src/tenancy/openTenant.ts';
import type { Service } from '../../../src/tenancy/service.ts';
import { createTenant, findTenant } from '../../../src/tenancy/tenants.ts';
import { dayMs } from '../../support/clock.ts';
import { freePort } from '../../support/ports.ts';
import { openBank, type Bank } from './bank.ts';
import { openDeliveries } from './deliveries.ts';
import { openFate } from './fate.ts';
import type { StepCall, StepResult } from './gatewayProcess.ts';
import { findFaults } from './invariants.ts';
import { buildKeyed, type Keyed } from './keyed.ts';
import { openUses, type Answered } from './keyedUsage.ts';
import { stock } from './steps.ts';
import { call, serveCalls } from './wire.ts';
import { copyToFile, openPlace, recall, type Place, type World } from './world.ts';

/** How long a simulation of two gateways is. */
export interface GatewaysSize {
  seed: number;
  moments: number;
  /** An empty PostgreSQL database. */
  database: string;
  /** The bundle of gatewayProcess.ts. */
  program: string;
  say?: (line: string) => void;
}

/** The result of a run. */
export interface GatewaysFigures {
  steps: number;
  keyed: number;
  /** How often both have got the same usage. */
  uses: number;
  /** How many of the events that both have got were taken. */
  events: number;
  kills: number;
  counts: Record<string, number>;
  movements: number;
}

const tenants = [
  { alias: 'test-paris', timezone: 'Europe/Paris', currency: 'eur' },
  { alias: 'test-utc', timezone: 'UTC', currency: 'usd' },
];
const tasksPerMoment = 10;
const killProbability = 0.2;
const keyedProbability = 0.5;
/** How much of what both gateways get is usage. */
const usageProbability = 0.3;
const bankLoss = 0.05;
/** A request that was interrupted can be repeated within six seconds; a gateway needs some to start. */
const [retryMs, mostTries] = [150, 400];
const notFinal = ['request_in_flight', 'unavailable', 'outcome_unknown'];

/**
 * Lets two gateways on one PostgreSQL database perform random steps at once, sends mutations with one key to both, and
 * kills one now and then. Throws, with the seed, if their answers differ, or if the books are wrong at the end.
 */
export async function simulateGateways(size: GatewaysSize): Promise<GatewaysFigures> {
  const life = await openLife(size);
  try {
    for (let moment = 0; moment < size.moments; moment++) {
      await passMoment(life);
      size.say?.(`moment ${moment + 1}: ${life.figures.steps} steps, ${life.figures.kills} kills`);
    }
    await settle(life);
    const faults = [
      ...life.faults,
      ...findFaults(life.disk, life, true),
      ...life.uses.findFaults(life.disk),
      ...(await listFindings(life)),
    ];
    if (faults.length > 0) {
      const kept = path.join(tmpdir(), `gateways-seed-${size.seed}.db`);
      copyFileSync(life.file, kept);
      throw new Error(
        `Seed ${size.seed}, two gateways: ${faults.length} faults (${kept})\n  ${faults.slice(0, 10).join('\n  ')}`,
      );
    }
    return { ...life.figures, events: life.uses.count(), movements: life.bank.movements.size };
  } finally {
    await life.close();
  }
}

type Life = Awaited<ReturnType<typeof openLife>>;

async function openLife({ seed, database, program }: GatewaysSize) {
  const random = randomFrom(seed);
  const bank = openBank(random.fork(), openFate());
  bank.loss = bankLoss;
  const bankServer = await serveCalls(
    ({ method, args }: { method: 'start'; args: Parameters<Bank['start']> }) =>
      Promise.resolve(bank[method](...args)),
  );
  const config = readConfig(
    { database, logLevel: 'silent', testMails: 'off', secretKey: Buffer.alloc(32, 7).toString('base64') },
    {},
  );
  const service = await openService(config, true);
  const keys = new Map<string, string>();
  const places: Place[] = [];
  const clock = new Date(systemClock.nowMs()).toISOString();
  for (const { currency, ...tenant } of tenants) {
    await createTenant(service, { ...tenant, test: true, clock });
    keys.set(tenant.alias, (await createKey(service, { tenant: tenant.alias })).apiKey);
    places.push(openPlace(tenant.alias, currency));
  }
  const world = { random, clock: { now: () => clock }, tenant: (place: Place) => openScope(service, place) };
  for (const place of places) await stock(world as unknown as World, place);
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-gateways-'));
  const file = path.join(folder, 'copy.db');
  await copyToFile(service, file);
  const disk = new Database(file);
  disk.defaultSafeIntegers(true);
  const gateways = await Promise.all(
    [1, 2].map(async () =>
      openGateway(program, { database, bankUrl: bankServer.url, port: await freePort() }),
    ),
  );
  return {
    random,
    bank,
    service,
    keys,
    places,
    disk,
    /** The copy of the database in a file. */
    file,
    gateways,
    deliveries: openDeliveries(),
    uses: openUses(random.fork()),
    faults: [] as string[],
    figures: { steps: 0, keyed: 0, uses: 0, kills: 0, counts: {} as Record<string, number> },
    /** Makes the copy equal to the database, and finds the records of each tenant in it. */
    refresh: async () => {
      await copyToFile(service, file);
      for (const place of places) recall(disk, place);
    },
    close: async () => {
      for (const gateway of gateways) gateway.kill();
      bankServer.server.close();
      bankServer.server.closeAllConnections();
      await service.store.close();
      disk.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openScope(service: Service, { alias }: Place) {
  const tenant = (await findTenant(service, alias))!;
  const origin = { traceId: service.ids.traceId(), executorId: 'simulation' };
  return openTenant(service, { tenant, keyId: 'simulation', scope: 'write' }, origin);
}

/** A gateway that can be killed, and starts again on the same port. */
async function openGateway(program: string, settings: { database: string; bankUrl: string; port: number }) {
  let child: ChildProcess;
  let controlUrl = '';
  const start = async () => {
    child = spawn(process.execPath, [program, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    controlUrl = await new Promise<string>((resolve, reject) => {
      child.stdout!.once('data', (chunk) => resolve(String(chunk).trim()));
      child.once('exit', () => reject(new Error('The gateway does not start.')));
    });
  };
  await start();
  return {
    url: `http://127.0.0.1:${settings.port}/graphql`,
    perform: (step: StepCall): Promise<StepResult> => call(controlUrl, step),
    kill: () => void child.kill('SIGKILL'),
    killAndStart: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      await start();
    },
  };
}

/** Several steps and keyed mutations at once, in which a gateway may be killed; then time passes. */
async function passMoment(life: Life): Promise<void> {
  const { random, places, figures, gateways, bank } = life;
  await life.refresh();
  const place = () => random.pick(places);
  const tasks = Array.from({ length: tasksPerMoment }, () =>
    random.chance(keyedProbability)
      ? random.chance(usageProbability)
        ? useBoth(life, place())
        : sendToBoth(life, place())
      : takeStep(life, place()),
  );
  if (random.chance(killProbability)) {
    await pause(random.whole(1, 400));
    // The other serves alone until it is back.
    await random.pick(gateways).killAndStart();
    figures.kills += 1;
  }
  await Promise.all(tasks);
  await advance(life, place(), random.whole(1, 12) * dayMs);
  for (const { alias } of places) if (random.chance(0.3)) bank.desk.takeBack(alias);
  for (const each of places) await bank.desk.deliver(await openScope(life.service, each));
}

/** Lets a random gateway perform a step. A step that is cut off has an unknown outcome. */
async function takeStep(
  { random, gateways, deliveries, figures, faults }: Life,
  place: Place,
): Promise<void> {
  const step = {
    seed: random.whole(0, 2 ** 31),
    place,
    isJoin: place.subscriptions.length < 12 && random.chance(0.4),
  };
  figures.steps += 1;
  try {
    const { counts, observed } = await random.pick(gateways).perform(step);
    for (const [name] of counts) count(figures, name);
    for (const seen of observed) deliveries.observe(...seen);
  } catch (error) {
    const { message, cause } = error as Error;
    if (cause === undefined) faults.push(`step ${step.seed}: ${message}`);
    else count(figures, 'cut off');
  }
}

const count = ({ counts }: Life['figures'], name: string) => (counts[name] = (counts[name] ?? 0) + 1);

/** Sends one mutation with one key to both gateways until both have answered; the answers must be equal. */
async function sendToBoth(life: Life, place: Place): Promise<void> {
  const request = buildKeyed(life.random, place, life.disk);
  if (request) await expectOneAnswer(life, place, request);
}

async function advance(life: Life, place: Place, byMs: number): Promise<void> {
  const { clockAt } = (await findTenant(life.service, place.alias))!;
  await expectOneAnswer(life, place, {
    query: 'mutation ($to: DateTime!) { advanceClock(input: { to: $to }) { alias } }',
    variables: { to: addMs(clockAt!, byMs) },
  });
}

async function expectOneAnswer(life: Life, place: Place, request: Keyed): Promise<void> {
  const { random, gateways, keys, faults, figures } = life;
  const key = `key-${random.whole(0, 2 ** 31)}`;
  figures.keyed += 1;
  const send = (url: string) => sendKeyed(url, { key, apiKey: keys.get(place.alias)!, request });
  const answers = await Promise.all(gateways.map(({ url }) => send(url)));
  const later = await send(random.pick(gateways).url);
  // A refusal that changed nothing is not kept: a repeat may succeed.
  const isDone = answers.some((answer) => answer.startsWith('{"data"'));
  const [first, ...others] = isDone ? [...answers, later] : [];
  const name = /\{ (\w+)/.exec(request.query)![1]!;
  count(figures, `${name}: ${isDone ? 'done' : (/"reason":"(\w+)"/.exec(answers[0]!)?.[1] ?? answers[0]!)}`);
  if (answers.some((answer) => answer.includes('internal_error')) || others.some((other) => other !== first))
    faults.push(`${key} ${name} ${JSON.stringify(request.variables)}: ${[...answers, later].join(' / ')}`);
}

/** Sends usage to both gateways until both have answered: each event counts once, with the content of one of them. */
async function useBoth(life: Life, place: Place): Promise<void> {
  const { random, gateways, keys, faults, figures, uses } = life;
  const { clockAt } = (await findTenant(life.service, place.alias))!;
  const use = uses.build(place, clockAt!, life.disk);
  if (!use) return;
  figures.uses += 1;
  const apiKey = keys.get(place.alias)!;
  const answers = await Promise.all(
    use.requests.map((request, index) =>
      sendKeyed(gateways[index]!.url, { key: `use-${random.whole(0, 2 ** 31)}-${index}`, apiKey, request }),
    ),
  );
  const [first, second] = answers.map((answer) => JSON.parse(answer) as Answered);
  for (const fault of use.findFaults([first!, second!]))
    faults.push(`${place.alias}: ${fault}: ${answers.join(' / ')}`);
}

async function sendKeyed(
  url: string,
  { key, apiKey, request }: { key: string; apiKey: string; request: Keyed },
): Promise<string> {
  const headers = { 'content-type': 'application/json', 'api-key': apiKey, 'idempotency-key': key };
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
      const text = await response.text();
      const { errors } = JSON.parse(text);
      const reason = errors?.[0]?.extensions?.reason;
      if (reason === undefined) return text;
      if (!notFinal.includes(reason)) return JSON.stringify({ reason, issues: errors[0].extensions.issues });
    } catch {
      // The gateway is dead, and will be started again.
    }
    await pause(retryMs);
  }
  return JSON.stringify({ reason: 'no answer' });
}

/** Lets pending work come to its end, without losses. */
async function settle(life: Life): Promise<void> {
  life.bank.loss = 0;
  for (let round = 0; round < 4; round++) {
    for (const place of life.places) await advance(life, place, dayMs);
    for (const place of life.places) await life.bank.desk.deliver(await openScope(life.service, place), true);
  }
  for (let tries = 0; tries < 100; tries++) {
    await life.refresh();
    if (countUnderWay(life) === 0) return;
    await pause(300);
  }
}

const countUnderWay = ({ disk }: Life): number =>
  Number(
    disk
      .prepare(
        `SELECT (SELECT count(*) FROM payments WHERE status = 'pending' AND kind <> 'dispute')
           + (SELECT count(*) FROM intents WHERE asked_at IS NOT NULL)
           + (SELECT count(*) FROM invoices WHERE charge_started_at IS NOT NULL)`,
      )
      .pluck()
      .get(),
  );

async function listFindings({ service }: Life): Promise<string[]> {
  const { findings } = await examine(service, () => {});
  return findings.map(({ tenant, check, subject, found }) => `${tenant} ${check}: ${subject} ${found}`);
}

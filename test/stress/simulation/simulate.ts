import { advanceClock } from '../../../src/app/testClock.ts';
import { BillingError } from '../../../src/lib/errors.ts';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { runDueWork } from '../../../src/app/scheduler.ts';
import { dayMs } from '../../support/clock.ts';
import { hashDatabase } from './history.ts';
import { hearOfEInvoices, sendEInvoices } from './eInvoiceSteps.ts';
import { findFaults } from './invariants.ts';
import { stock, performJoin, performStep } from './steps.ts';
import { completeRates } from './taxSteps.ts';
import { watchTenants } from './watch.ts';
import { openWorld, quiet, type Place, type World } from './world.ts';

/** How long and how large a simulation is. */
export interface Size {
  seed: number;
  years: number;
  subscriptions: number;
  /** The books are checked after that many moments; 1 for each. */
  checkEvery: number;
  say?: (line: string) => void;
  /** Whether the database is kept in memory, where the system has a folder for that; a small one is. */
  inMemory?: boolean;
  /** An empty PostgreSQL database; without it the rows are in a SQLite file. */
  postgres?: string;
}

/** The result of a run. */
export interface Figures {
  hash: string;
  moments: number;
  crashes: number;
  checks: number;
  counts: Record<string, number>;
  subscriptions: number;
  invoices: number;
  paid: number;
  charges: number;
  eInvoices: number;
  refunds: number;
  traces: number;
}

/** Days between two moments, on average. */
const strideDays = 4;
const stepsPerSubscription = 7;
const crashProbability = 0.12;
const smallWorld = 1000;
/** How often a message to the bank is lost on a good day, and when its lines are down. */
const [usualLoss, outageLoss] = [0.04, 0.7];
const outageProbability = 0.25;
const rushProbability = 0.15;

/** Lets a world run its course; throws, with the seed, at the first moment at which the books are wrong. */
export async function simulate({
  seed,
  years,
  subscriptions,
  checkEvery,
  say = () => {},
  inMemory = subscriptions <= smallWorld,
  postgres,
}: Size): Promise<Figures> {
  const world = await openWorld(seed, { inMemory, postgres });
  try {
    for (const place of world.places) await stock(world, place);
    // Only the file that the service writes has triggers.
    const watch = checkEvery === 1 && postgres === undefined ? watchTenants(world.disk) : undefined;
    const moments = Math.ceil((years * 365.25) / strideDays);
    let [crashes, checks] = [0, 0];
    for (let moment = 0; moment < moments; moment++) {
      world.bank.loss = world.random.chance(outageProbability) ? outageLoss : usualLoss;
      await letTimePass(world);
      const joins = drawShare(world, subscriptions / moments);
      for (let count = 0; count < joins; count++) await performJoin(world, world.random.pick(world.places));
      const steps = drawShare(world, (subscriptions * stepsPerSubscription) / moments / 2);
      for (let count = 0; count < steps; count++) {
        const place = world.random.pick(world.places);
        watch?.begin();
        const name = await performStep(world, place);
        watch?.expectOnly(place.alias, `${name}, seed ${seed}`);
      }
      if (world.random.chance(rushProbability)) await rush(world);
      if (world.fate.dead()) {
        await world.restart();
        crashes += 1;
      }
      if (moment % checkEvery === checkEvery - 1) {
        checks += 1;
        await world.refresh();
        expectNone(findFaults(world.disk, world), world, `moment ${moment}`, seed);
        say(`${world.clock.now().slice(0, 10)}  ${formatProgress(world)}`);
      }
    }
    await finishWork(world);
    await world.refresh();
    expectNone(findFaults(world.disk, world, true), world, 'the end', seed);
    expectNone(await listFindings(world), world, 'doctor at the end', seed);
    return { ...computeFigures(world), moments, crashes, checks: checks + 1 };
  } finally {
    await world.close();
  }
}

/** A whole number with the mean `average`. */
const drawShare = ({ random }: World, average: number) =>
  Math.floor(average) + (random.chance(average % 1) ? 1 : 0);

/** Advances the time of all tenants; sometimes the service crashes and is started again. */
async function letTimePass(world: World): Promise<void> {
  const { random, clock, fate } = world;
  clock.advance(random.whole(1, 2 * strideDays * 24 * 60) * 60_000);
  if (random.chance(crashProbability)) fate.arm(random.whole(1, 120));
  await perform(() => runDueWork(world.service(), quiet));
  for (const place of world.places.filter(({ alias }) => alias.startsWith('test-')))
    await moveClock(world, place);
  for (const place of world.places) await perform(() => sendEInvoices(world, place));
}

/** The time of a test tenant follows that of the world, by its own steps. */
async function moveClock(world: World, place: Place): Promise<void> {
  const tenant = await world.tenant(place);
  const to = world.clock.now();
  if (to > tenant.now()) await perform(() => advanceClock(tenant, to));
}

async function perform(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BillingError && error.reason === 'unavailable')) throw error;
  }
}

/** Concurrent work: billing, and customers that change the billed subscriptions. */
async function rush(world: World): Promise<void> {
  const { random } = world;
  world.clock.advance(random.whole(1, 24) * 3_600_000);
  world.rushing = true;
  const billing = perform(() => runDueWork(world.service(), quiet));
  const count = random.whole(2, 6);
  const steps = Array.from({ length: count }, () => performStep(world, random.pick(world.places)));
  await Promise.all([billing, ...steps]);
  world.rushing = false;
}

/** Completes pending work without losses or crashes. */
async function finishWork(world: World): Promise<void> {
  world.bank.loss = 0;
  world.register.loss = 0;
  world.accessPoint.isCalm = true;
  if (world.fate.dead()) await world.restart();
  world.fate.revive();
  for (let round = 0; round < 3; round++) {
    for (const place of world.places) await completeRates(await world.tenant(place));
    world.clock.advance(dayMs);
    await runDueWork(world.service(), quiet);
    for (const place of world.places.filter(({ alias }) => alias.startsWith('test-')))
      await moveClock(world, place);
    for (const place of world.places) {
      await world.bank.desk.deliver(await world.tenant(place), true);
      await sendEInvoices(world, place);
      await hearOfEInvoices(world, place, true);
    }
  }
  for (const place of world.places) await completeRates(await world.tenant(place));
}

/** Lists what doctor finds, but for late events of subscriptions that had their final invoice, which an operator bills. */
async function listFindings(world: World): Promise<string[]> {
  const { findings } = await examine(world.service(), () => {});
  const faults = findings.filter(({ check }) => check !== 'usage_unbilled');
  return faults.map(({ tenant, check, subject, found }) => `${tenant} ${check}: ${subject} ${found}`);
}

function expectNone(faults: string[], world: World, when: string, seed: number): void {
  if (faults.length === 0) return;
  throw new Error(
    `Seed ${seed}, ${when} (${world.clock.now()}): ${faults.length} faults\n  ${faults.slice(0, 10).join('\n  ')}`,
  );
}

const countRows = ({ disk }: World, table: string) =>
  Number(disk.prepare(`SELECT count(*) FROM ${table}`).pluck().get());

const formatProgress = (world: World) =>
  `${countRows(world, 'subscriptions')} subscriptions, ${countRows(world, 'invoices')} invoices, ${world.bank.movements.size} movements`;

function computeFigures(world: World) {
  return {
    hash: hashDatabase(world.disk),
    counts: Object.fromEntries([...world.counts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    subscriptions: countRows(world, 'subscriptions'),
    invoices: countRows(world, 'invoices'),
    paid: countRows(world, "invoices WHERE status = 'paid'"),
    charges: countRows(world, "payments WHERE kind = 'charge'"),
    eInvoices: countRows(world, "e_invoice_deliveries WHERE status IN ('sent', 'accepted', 'rejected')"),
    refunds: countRows(world, "payments WHERE kind = 'refund'"),
    traces: countRows(world, 'traces'),
  };
}

/** A gateway in a process of its own, to be killed: the app, and a second port on which it performs random steps. */
import { createApp } from '../../../src/app/app.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { readConfig } from '../../../src/config/config.ts';
import { randomFrom } from '../../../src/lib/random.ts';
import { toInstant } from '../../../src/lib/time.ts';
import { openTenant } from '../../../src/tenancy/openTenant.ts';
import { findTenant } from '../../../src/tenancy/tenants.ts';
import type { Bank } from './bank.ts';
import type { Deliveries } from './deliveries.ts';
import { performJoin, performStep } from './steps.ts';
import { reachBank, serveCalls } from './wire.ts';
import { quiet, type Place, type World } from './world.ts';

/** A step to be performed by a gateway. */
export interface StepCall {
  seed: number;
  place: Place;
  isJoin: boolean;
}

/** What became of it: its outcome, and what subscriptions were seen to deliver. */
export interface StepResult {
  counts: [name: string, count: number][];
  observed: Parameters<Deliveries['observe']>[];
}

const { database, bankUrl, port } = JSON.parse(process.argv[2]!) as Record<string, string>;
const config = readConfig(
  {
    database: database!,
    databaseConnections: '6',
    logLevel: 'silent',
    testMails: 'off',
    rateLimitPerSecond: '1000000',
    secretKey: Buffer.alloc(32, 7).toString('base64'),
  },
  {},
);
const { service, server } = await createApp(config, { log: quiet });
const bank = reachBank(bankUrl!);
Object.assign(service, { payments: { ...service.payments, charging: [bank] } });

async function perform({ seed, place, isJoin }: StepCall): Promise<StepResult> {
  const observed: StepResult['observed'] = [];
  const record = (await findTenant(service, place.alias))!;
  const origin = { traceId: service.ids.traceId(), executorId: 'simulation' };
  const world = {
    random: randomFrom(seed),
    // The anchors of prices are near the time of the tenants.
    clock: { ...systemClock, now: () => record.clockAt ?? toInstant(systemClock.nowMs()) },
    // The process of the bank takes money back and reports it.
    bank: Object.assign(bank, { desk: { takeBack: () => {}, deliver: async () => {} } }) as unknown as Bank,
    deliveries: {
      observe: (...seen: StepResult['observed'][number]) => void observed.push(seen),
      findFaults: () => [],
    },
    counts: new Map<string, number>(),
    rushing: true,
    tenant: async () => openTenant(service, { tenant: record, keyId: 'simulation', scope: 'write' }, origin),
  } as unknown as World;
  await (isJoin ? performJoin(world, place) : performStep(world, place));
  return { counts: [...world.counts], observed };
}

await server.listen({ port: Number(port), host: '127.0.0.1' });
const { url } = await serveCalls(perform);
process.stdout.write(`${url}\n`);

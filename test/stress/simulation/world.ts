import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { openService } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { systemClock, type Clock } from '../../../src/lib/clock.ts';
import { createEInvoiceSender } from '../../../src/outgoing/eInvoices/dispatcher.ts';
import { copyRows } from '../../../src/maintenance/databaseCopy/copy.ts';
import { openStore } from '../../../src/storage/open.ts';
import { openTenant } from '../../../src/tenancy/openTenant.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import type { Service } from '../../../src/tenancy/service.ts';
import { createTenant, findTenant, type NewTenant } from '../../../src/tenancy/tenants.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { openRandomAccessPoint, type RandomAccessPoint } from './accessPoint.ts';
import { openBank, type Bank } from './bank.ts';
import { openDeliveries, type Deliveries } from './deliveries.ts';
import { mortal, openFate, type Fate } from './fate.ts';
import { randomFrom, type Random } from '../../../src/lib/random.ts';
import { openVatRegister, type RandomRegister } from './vatRegister.ts';

/** A tenant of the world, with the records that steps may pick. */
export interface Place {
  alias: string;
  currency: string;
  groups: string[];
  products: { id: string; groupId: string | null; prices: string[] }[];
  customers: string[];
  subscriptions: string[];
  intents: string[];
  coupons: string[];
  codes: string[];
}

/** A service on its own database, which can crash and restart, with its surroundings. */
export interface World {
  path: string;
  random: Random;
  clock: TestClock;
  fate: Fate;
  bank: Bank;
  deliveries: Deliveries;
  register: RandomRegister;
  accessPoint: RandomAccessPoint;
  places: Place[];
  /** Reads the database on disk; for PostgreSQL its copy as of the last `refresh`. */
  disk: Database.Database;
  /** Brings the copy of PostgreSQL up to date; nothing to do for SQLite. */
  refresh(): Promise<void>;
  service(): Service;
  /** The tenant as it is now. */
  tenant(place: Place): Promise<TenantScope>;
  /** The number of each step. */
  counts: Map<string, number>;
  /** Whether several steps are taken at once. */
  rushing: boolean;
  /** Starts again after a crash: on the same file, a little later. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const secretKey = Buffer.alloc(32, 7).toString('base64');
const beginning = '2024-01-29T09:00:00.000Z';

const tenants: (NewTenant & { currency: string })[] = [
  { alias: 'utc', timezone: 'UTC', currency: 'usd' },
  { alias: 'new-york', timezone: 'America/New_York', currency: 'usd' },
  { alias: 'kabul', timezone: 'Asia/Kabul', currency: 'afn' },
  { alias: 'apia', timezone: 'Pacific/Apia', currency: 'jpy' },
  { alias: 'kuwait', timezone: 'Asia/Kuwait', currency: 'kwd' },
  { alias: 'test-paris', timezone: 'Europe/Paris', currency: 'eur', test: true, clock: beginning },
  { alias: 'test-lord-howe', timezone: 'Australia/Lord_Howe', currency: 'aud', test: true, clock: beginning },
];

export const quiet = pino({ level: 'silent' });

// Nothing here can lose power: a small world waits for no disk.
const memory = '/dev/shm';

/** Where a world keeps its rows. */
export interface WorldPlace {
  /** Whether files are kept in memory, where the system has a folder for that. */
  inMemory: boolean;
  /** An empty PostgreSQL database; without it the world is a SQLite file. */
  postgres?: string;
}

/** Opens a new world of a seed. */
export async function openWorld(seed: number, { inMemory, postgres }: WorldPlace): Promise<World> {
  const parent = inMemory && existsSync(memory) ? memory : tmpdir();
  const folder = mkdtempSync(path.join(parent, 'perennial-simulation-'));
  const file = path.join(folder, 'world.db');
  const random = randomFrom(seed);
  const clock = stoppedClock(beginning);
  const fate = openFate();
  const bank = openBank(random.fork(), fate);
  const idRandom = random.fork();
  const register = openVatRegister(random.fork(), fate);
  const accessPoint = openRandomAccessPoint(random.fork(), fate);
  const config = readConfig(
    {
      database: postgres ?? `sqlite:${file}`,
      logLevel: 'silent',
      testMails: 'off',
      secretKey,
    },
    {},
  );
  const begin = async (): Promise<Service> => {
    const service = await openService(config, true, {
      clock,
      randomBytes: (length) => idRandom.bytes(length),
    });
    return {
      ...service,
      store: mortal(service.store, fate),
      payments: { ...service.payments, charging: [bank] },
      vatRegister: register,
      eInvoices: createEInvoiceSender({
        randomBytes: (length) => Buffer.alloc(length, 128),
        post: accessPoint.post,
      }),
    };
  };
  let service = await begin();
  const places = tenants.map(({ alias, currency }) => openPlace(alias, currency));
  for (const { currency: _, ...tenant } of tenants) await createTenant(service, tenant);
  const refresh = async () => {
    if (postgres !== undefined) await copyToFile(service, file, clock);
  };
  await refresh();
  const disk = new Database(file);
  disk.defaultSafeIntegers(true);

  const openScope = async ({ alias }: Place) => {
    const record = (await findTenant(service, alias))!;
    const origin = { traceId: service.ids.traceId(), executorId: 'simulation' };
    return openTenant(service, { tenant: record, keyId: 'simulation', scope: 'write' }, origin);
  };
  const restart = async () => {
    // Pending work of the crashed service has no effect; it ends before the file is closed.
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    await service.store.close();
    fate.revive();
    clock.advance(1000 * random.whole(1, 300));
    service = await begin();
    await refresh();
    for (const place of places) recall(disk, place);
  };
  const close = async () => {
    await service.store.close();
    disk.close();
    rmSync(folder, { recursive: true });
  };
  const counts = new Map<string, number>();
  return {
    path: file,
    random,
    clock,
    fate,
    bank,
    deliveries: openDeliveries(),
    register,
    accessPoint,
    places,
    disk,
    refresh,
    service: () => service,
    tenant: openScope,
    counts,
    rushing: false,
    restart,
    close,
  };
}

/** A tenant without records. */
export const openPlace = (alias: string, currency: string): Place => ({
  alias,
  currency,
  groups: [],
  products: [],
  customers: [],
  subscriptions: [],
  intents: [],
  coupons: [],
  codes: [],
});

/** Makes a SQLite file equal to the database of a service, so that the same checks read both. */
export async function copyToFile(service: Service, file: string, clock: Clock = systemClock): Promise<void> {
  const copy = await openStore(
    { database: `sqlite:${file}`, databaseConnections: 1 },
    'drizzle',
    true,
    clock,
  );
  await service.store.snapshot((source) => copyRows(source, copy));
  await copy.close();
}

/** After a crash the pending responses are unknown, so the ids are read from the disk. */
export function recall(disk: Database.Database, place: Place): void {
  const listIds = (table: string, condition = 'true') =>
    disk
      .prepare(`SELECT id FROM ${table} WHERE tenant_alias = ? AND ${condition} ORDER BY id`)
      .pluck()
      .all(place.alias) as string[];
  place.groups = listIds('groups');
  place.customers = listIds('customers');
  place.subscriptions = listIds('subscriptions', 'cancelled_at IS NULL');
  place.intents = listIds('intents', "status NOT IN ('succeeded', 'cancelled', 'expired')");
  place.coupons = listIds('coupons');
  place.codes = disk
    .prepare('SELECT code FROM promotion_codes WHERE tenant_alias = ? ORDER BY id')
    .pluck()
    .all(place.alias) as string[];
  place.products = listIds('products', 'deleted_at IS NULL').map((id) => ({
    id,
    groupId: disk
      .prepare('SELECT group_id FROM products WHERE tenant_alias = ? AND id = ?')
      .pluck()
      .get(place.alias, id) as string | null,
    prices: disk
      .prepare('SELECT id FROM prices WHERE tenant_alias = ? AND product_id = ? ORDER BY id')
      .pluck()
      .all(place.alias, id) as string[],
  }));
}

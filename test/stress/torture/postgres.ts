import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { administer } from '../../support/administer.ts';
import { startEmbedded } from '../../support/embedded.ts';

interface Torture {
  crashes: number;
  writers: number;
  /** How long the server lives between its crashes, and is dead after each. */
  upMs: number;
  downMs: number;
}

/** Writes that are acknowledged at least before each crash. */
const leastPerPhase = 20;
const answersOfRefusal = ['unavailable', 'outcome_unknown'];

/**
 * Writes through a gateway while its PostgreSQL server is shut down without warning, again and again. Every client
 * repeats refused requests with the same Idempotency-Key. Returns how many were acknowledged, refused, lost and doubled.
 */
export async function torture({ crashes, writers, upMs, downMs }: Torture) {
  const server = await startEmbedded();
  await administer(server.address, `CREATE DATABASE torture TEMPLATE template0 ENCODING 'UTF8'`);
  const database = `${server.address}/torture`;
  const config = readConfig({ database, logLevel: 'silent', rateLimitPerSecond: '100000' }, {});
  const app = await createApp(config, { log: pino({ level: 'silent' }) });
  await createTenant(app.service, { alias: 'acme' });
  const { apiKey } = await createKey(app.service, { tenant: 'acme' });
  const figures = { acknowledged: 0, refused: 0, reads: 0, refusedReads: 0, others: 0, slowestRefusalMs: 0 };
  const outages: number[] = [];
  const acknowledged = new Set<string>();
  let isOver = false;

  const send = async (method: 'GET' | 'POST', fields?: object, key?: string) => {
    const begun = performance.now();
    const answer = await app.server.inject({
      method,
      url: '/api/v1/groups',
      headers: { 'api-key': apiKey, ...(key && { 'idempotency-key': key }) },
      payload: fields,
    });
    if (answer.statusCode === 503) {
      figures.slowestRefusalMs = Math.max(figures.slowestRefusalMs, performance.now() - begun);
      const isTold =
        answersOfRefusal.includes(answer.json().body.reason) && answer.headers['retry-after'] === '1';
      if (!isTold) figures.others += 1;
    } else if (answer.statusCode >= 300) {
      figures.others += 1;
    }
    return answer.statusCode;
  };
  const write = async (writer: number) => {
    for (let count = 0; !isOver; count++) {
      const [name, key] = [`${writer}-${count}`, randomUUID()];
      while ((await send('POST', { tenantAlias: 'acme', name }, key)) !== 201) {
        figures.refused += 1;
        await pause(20);
      }
      figures.acknowledged += 1;
      acknowledged.add(name);
    }
  };
  const read = async () => {
    while (!isOver) {
      figures.reads += 1;
      if ((await send('GET')) === 503) figures.refusedReads += 1;
      await pause(5);
    }
  };
  const work = [...Array.from({ length: writers }, (_, writer) => write(writer)), read()];

  /** Waits until a figure has grown, however slow the machine is. */
  const grows = async (name: 'acknowledged' | 'refused' | 'refusedReads', by: number) => {
    const from = figures[name];
    while (figures[name] < from + by) await pause(5);
  };
  for (let crash = 0; crash < crashes; crash++) {
    await pause(upMs);
    await grows('acknowledged', leastPerPhase);
    await server.crash();
    await pause(downMs);
    await grows('refused', writers);
    await grows('refusedReads', 1);
    await server.restart();
    const backAt = performance.now();
    const before = figures.acknowledged;
    while (figures.acknowledged === before) await pause(5);
    outages.push(performance.now() - backAt);
  }
  await pause(upMs);
  await grows('acknowledged', leastPerPhase);
  isOver = true;
  await Promise.all(work);

  const kept = await app.service.store.fresh.select('groups', { where: { tenantAlias: 'acme' } });
  const names = kept.map(({ name }) => name);
  const traces = await app.service.store.fresh.count('traces', {
    tenantAlias: 'acme',
    activityType: 'GroupEvent',
  });
  await app.close();
  await server.remove();
  const unique = new Set(names);
  return {
    ...figures,
    slowestRefusalMs: Math.round(figures.slowestRefusalMs),
    lost: [...acknowledged].filter((name) => !unique.has(name)).length,
    doubled: names.length - unique.size,
    neverAcknowledged: [...unique].filter((name) => !acknowledged.has(name)).length,
    withoutTrace: names.length - traces,
    slowestRecoveryMs: Math.round(Math.max(...outages)),
  };
}

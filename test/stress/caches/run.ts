/** Exports for scripts/stress/caches.mjs, in one bundle. */
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { replayChanges, type ReplayFigures, type ReplayOptions } from './replay.ts';

export { startServer } from '../simulation/run.ts';

/** Starts a server on a database, and replays random changes on it. */
export async function replayOn(
  database: string,
  options: Omit<ReplayOptions, 'url' | 'apiKey'>,
): Promise<ReplayFigures> {
  const secretKey = Buffer.alloc(32, 7).toString('base64');
  const config = readConfig({ database, logLevel: 'error', secretKey, rateLimitPerSecond: '100000' }, {});
  const app = await createApp(config, { scheduler: false });
  const { service, server } = app;
  await createTenant(service, {
    alias: 'acme',
    timezone: 'UTC',
    test: true,
    clock: '2026-01-29T09:00:00.000Z',
  });
  const { apiKey } = await createKey(service, { tenant: 'acme', scope: 'write' });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  try {
    return await replayChanges({ ...options, url, apiKey });
  } finally {
    await app.close();
  }
}

/** Random commands for the service and a small model of it: both must have the same state. */
import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { isLong } from '../../support/sample.ts';
import { commands, compare, type Real } from './commands.ts';
import type { Model } from './shop.ts';

const begins = '2026-01-31T10:00:00.000Z';
const numRuns = isLong ? 50 : 5;

let app: TestApp;
let tenants = 0;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000' });
});
afterAll(() => app.close());

it('the service behaves like its model for random commands', async () => {
  const property = fc.asyncProperty(
    fc.commands(commands, { maxCommands: 50, size: 'max' }),
    async (given) => {
      const tenantAlias = `model-${++tenants}`;
      const client = await app.tenant({ alias: tenantAlias, test: true, clock: begins });
      const model: Model = {
        nowMs: Date.parse(begins),
        customers: [],
        groups: [],
        products: [],
        subscriptions: [],
      };
      const real: Real = { client, tenantAlias };
      await fc.asyncModelRun(() => ({ model, real }), given);
      await compare(model, real);
    },
  );
  await fc.assert(property, { numRuns });
});

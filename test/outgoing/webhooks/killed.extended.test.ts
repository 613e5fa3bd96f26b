/** Deliveries of a process that is killed while it sends them. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { tortureWebhooks } from '../../stress/torture/webhooks.ts';
import { engine, scratchDatabase } from '../../support/engines.ts';
import { build, program } from '../../support/program.ts';
import { isLong } from '../../support/sample.ts';

// On PostgreSQL what a dead server has claimed waits for a minute: scripts/stress/webhooks.mjs takes the time.
it.runIf(engine === 'sqlite')('loses nothing and keeps the order when the server is killed', async () => {
  build();
  const scratch = await scratchDatabase();
  const figures = await tortureWebhooks({
    program,
    database: scratch.url,
    env: { PERENNIAL_SECRET_KEY: randomBytes(32).toString('base64') },
    events: isLong ? 60 : 20,
    kills: 1,
    failing: 30,
  });
  expect(figures).toMatchObject({ lost: 0, outOfOrder: 0, badSignatures: 0, unfinished: 0, kills: 1 });
  expect(figures.recorded).toBeGreaterThanOrEqual(figures.acknowledged);
  expect(figures.failedCalls).toBeGreaterThan(0);
  await scratch.drop();
});

/** Mails of a process that is killed while it sends them. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { engine, scratchDatabase } from '../support/engines.ts';
import { build, program } from '../support/program.ts';
import { tortureMails } from '../stress/torture/mails.ts';

// On PostgreSQL the claims of a dead process last for a minute: scripts/stress/mails.mjs takes the time.
it.runIf(engine === 'sqlite')('loses no mail when the server is killed, and sends one of each', async () => {
  build();
  const scratch = await scratchDatabase();
  const figures = await tortureMails({
    program,
    database: scratch.url,
    env: { PERENNIAL_SECRET_KEY: randomBytes(32).toString('base64') },
    mails: 300,
    kills: 2,
    failing: 30,
  });
  expect(figures).toMatchObject({ queued: 300, accepted: 300, lost: 0, unfinished: 0, kills: 2 });
  expect(figures.refused).toBeGreaterThan(0);
  // SMTP cannot exclude these: the reply was on its way when the process was killed.
  expect(figures.repeated).toBeLessThanOrEqual(2 * 20);
  await scratch.drop();
});

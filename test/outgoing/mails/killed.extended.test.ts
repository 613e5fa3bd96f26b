/** Mails of a process that is killed while it sends them. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { engine, scratchDatabase } from '../../support/engines.ts';
import { isLong } from '../../support/sample.ts';
import { build, program } from '../../support/program.ts';
import { tortureMails } from '../../stress/torture/mails.ts';

// On PostgreSQL the claims of a dead process last for a minute: scripts/stress/mails.mjs takes the time.
it.runIf(engine === 'sqlite')('loses no mail when the server is killed, and sends one of each', async () => {
  build();
  const [mails, kills] = isLong ? [300, 2] : [120, 1];
  const scratch = await scratchDatabase();
  const figures = await tortureMails({
    program,
    database: scratch.url,
    env: { PERENNIAL_SECRET_KEY: randomBytes(32).toString('base64') },
    mails,
    kills,
    failing: 30,
  });
  expect(figures).toMatchObject({ queued: mails, accepted: mails, lost: 0, unfinished: 0, kills });
  expect(figures.refused).toBeGreaterThan(0);
  // SMTP cannot exclude these: the reply was on its way when the process was killed.
  expect(figures.repeated).toBeLessThanOrEqual(kills * 20);
  await scratch.drop();
});

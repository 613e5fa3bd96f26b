import { expect, it } from 'vitest';
import { engine, scratchDatabase } from '../../support/engines.ts';
import { isLong } from '../../support/sample.ts';
import { simulate } from './simulate.ts';

// `npm run simulate -- --postgres` takes any seed, for as long and as large as is wanted.
it.runIf(engine === 'postgres')('the simulator keeps the books right on PostgreSQL', async () => {
  const scratch = await scratchDatabase();
  try {
    const size = {
      seed: 6,
      years: isLong ? 0.5 : 0.06,
      subscriptions: isLong ? 25 : 10,
      checkEvery: isLong ? 4 : 10,
    };
    const figures = await simulate({ ...size, postgres: scratch.url });
    expect(figures.invoices).toBeGreaterThan(isLong ? 20 : 2);
  } finally {
    await scratch.drop();
  }
});

import { expect, it } from 'vitest';
import { engine, scratchDatabase } from '../../support/engines.ts';
import { bundle } from '../../support/program.ts';
import { isLong } from '../../support/sample.ts';
import { simulateGateways } from './gateways.ts';
import { simulate } from './simulate.ts';

// `npm run stress -- simulate --postgres` takes any seed, for as long and as large as is wanted.
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

// `npm run stress -- simulate --gateways` takes any seed, for as many moments as is wanted.
it.runIf(engine === 'postgres')('two gateways, of which one is killed, keep the books right', async () => {
  const program = bundle('test/stress/simulation/gatewayProcess.ts');
  const scratch = await scratchDatabase();
  try {
    const moments = isLong ? 30 : 4;
    const figures = await simulateGateways({ seed: 4, moments, database: scratch.url, program });
    expect(figures.steps + figures.keyed).toBeGreaterThan(moments);
  } finally {
    await scratch.drop();
  }
});

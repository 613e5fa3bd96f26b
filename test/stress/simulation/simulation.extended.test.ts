import { describe, expect, it } from 'vitest';
import { isLong, sampled } from '../../support/sample.ts';
import { simulate } from './simulate.ts';

// `npm run stress -- simulate` takes any seed, for as long and as large as is wanted. The world keeps its books in a file.
describe.runIf(process.env['PERENNIAL_TEST_ENGINE'] !== 'postgres')('the simulator', () => {
  it.each(sampled([1, 2, 3], 3))(
    'months of customers, failures and crashes keeps the books right (seed %i)',
    async (seed) => {
      const figures = await simulate({
        seed,
        years: isLong ? 0.5 : 0.3,
        subscriptions: 25,
        checkEvery: isLong ? 1 : 4,
      });
      expect(figures.crashes).toBeGreaterThan(0);
      expect(figures.invoices).toBeGreaterThan(20);
      expect(figures.eInvoices).toBeGreaterThan(3);
    },
  );

  it('the same seed produces the same rows, and another seed produces others', async () => {
    const size = { years: isLong ? 0.4 : 0.1, subscriptions: 20, checkEvery: 100 };
    const first = await simulate({ ...size, seed: 8 });
    const again = await simulate({ ...size, seed: 8 });
    const other = await simulate({ ...size, seed: 9 });
    expect(again).toEqual(first);
    expect(other.hash).not.toBe(first.hash);
  });
});

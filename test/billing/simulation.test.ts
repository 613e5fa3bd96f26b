import { expect, it } from 'vitest';
import { simulate } from './simulation/simulate.ts';

const size = { years: 1, subscriptions: 40, checkEvery: 1 };

it.each([1, 2, 3])(
  'a year of customers, failures and crashes keeps the books right (seed %i)',
  async (seed) => {
    const figures = await simulate({ ...size, seed });
    console.log(figures);
    expect(figures.invoices).toBeGreaterThan(100);
  },
  60_000,
);

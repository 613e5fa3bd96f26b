/** Whether every row of the large tables runs (`npm run test:long`); `npm test` takes a sample, the same each time. */
export const isLong = process.env['TEST_LONG'] === 'on';

/** One row in so many, all of them in the long run; another `offset` gives other rows. */
export const sampled = <Row>(rows: readonly Row[], oneIn: number, offset = 0): Row[] =>
  rows.filter((_, index) => isLong || (index + offset) % oneIn === 0);

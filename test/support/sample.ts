/** Whether every row of the large tables runs (`npm run test:long`); `npm test` takes a sample, the same each time. */
export const isLong = process.env['TEST_LONG'] === 'on';

/** How often something random runs: so often in the long run, one time in so many otherwise. */
export const sampledRuns = (runs: number, oneIn: number): number => (isLong ? runs : Math.ceil(runs / oneIn));

/** One row in so many, at least one, and all of them in the long run; another `offset` gives other rows. */
export function sampled<Row>(rows: readonly Row[], oneIn: number, offset = 0): Row[] {
  const step = isLong ? 1 : Math.min(oneIn, rows.length);
  return rows.filter((_, index) => (index + offset) % step === 0);
}

/** Whether what is dear and seldom breaks alone runs: in `npm run test:extended` and in the long run. */
const isExtended = isLong || process.env['TEST_EXTENDED'] === 'on';

/** One row in so many in `npm test`, and all of them in the extended run, which repeats the files that call this. */
export const sampledInCore = <Row>(rows: readonly Row[], oneIn: number): Row[] =>
  rows.filter((_, index) => isExtended || index % oneIn === 0);

/** How often something random runs: one time in so many in `npm test`, and so often in the extended run, as above. */
export const sampledRunsInCore = (runs: number, oneIn: number): number =>
  isExtended ? runs : Math.ceil(runs / oneIn);

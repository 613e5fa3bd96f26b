// Computes the ratios of two programs that were measured in pairs of rounds.
import { median } from './report.mjs';

const digits = 3;
const round = (number) => Math.round(number * 10 ** digits) / 10 ** digits;

/**
 * Returns the median ratio of the pairs and its range, as speed: above 1 the working tree is faster. `cpuRatio` is the
 * reference's processor time relative to the working tree's.
 */
export function comparePairs(pairs) {
  const ratios = pairs.map(([before, after]) => after.perSecond / before.perSecond).toSorted((a, b) => a - b);
  const cpuRatios = pairs
    .filter((pair) => pair.every(({ cpuMicros }) => cpuMicros))
    .map(([before, after]) => before.cpuMicros / after.cpuMicros);
  return {
    ratio: round(median(ratios)),
    lowest: round(ratios[0]),
    highest: round(ratios.at(-1)),
    cpuRatio: cpuRatios.length > 0 ? round(median(cpuRatios)) : null,
    before: Math.round(median(pairs.map(([before]) => before.perSecond))),
    after: Math.round(median(pairs.map(([, after]) => after.perSecond))),
  };
}

/** Formats results of `comparePairs` as a Markdown table. */
export function formatComparison(reference, results) {
  const rows = results.map(({ name, engine, ratio, lowest, highest, cpuRatio, before, after }) =>
    [
      engine,
      name,
      before,
      after,
      ratio.toFixed(digits),
      `${lowest.toFixed(digits)} to ${highest.toFixed(digits)}`,
      cpuRatio?.toFixed(digits) ?? '',
    ].join(' | '),
  );
  return [
    `| engine | workload | ${reference} a second | this a second | ratio | spread | CPU ratio |`,
    '|---|---|--:|--:|--:|--:|--:|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

// Computes medians and ratios to the floor, and formats them as a table.

/** Returns the median of the numbers, without those that are undefined; null if there is none. */
export const median = (numbers) => {
  const sorted = numbers.filter((number) => number !== undefined).toSorted((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
};

const rounded = (number, digits = 0) =>
  number === null || number === undefined ? null : Math.round(number * 10 ** digits) / 10 ** digits;

/**
 * Computes a workload's figures: for each variant, the medians over its rounds. Variants on PostgreSQL are compared
 * with `floor-postgres`, if present.
 */
export function summarize(name, measured) {
  const variants = measured.map(({ name: variant, rounds, ...others }) => ({
    name: variant,
    requestsPerSecond: rounded(median(rounds.map((round) => round.perSecond))),
    p50Ms: rounded(median(rounds.map((round) => round.p50Ms)), 2),
    p99Ms: rounded(median(rounds.map((round) => round.p99Ms)), 2),
    cpuMicrosPerRequest: rounded(median(rounds.map((round) => round.cpuMicros)), 1),
    ...others,
  }));
  const named = (wanted) => variants.find((variant) => variant.name === wanted);
  const findFloor = (variant) =>
    (variant.name.endsWith('-postgres') && named('floor-postgres')) || named('floor');
  const ratio = (of, to) => (of && to ? rounded(of / to, 2) : null);
  return {
    name,
    variants: variants.map((variant) => {
      const floor = findFloor(variant);
      return {
        ...variant,
        ratioToFloor:
          variant.requestsPerSecond === null
            ? ratio(floor?.p50Ms, variant.p50Ms)
            : ratio(variant.requestsPerSecond, floor?.requestsPerSecond),
        cpuRatioToFloor: ratio(floor?.cpuMicrosPerRequest, variant.cpuMicrosPerRequest),
      };
    }),
  };
}

const columns = [
  ['', (variant) => variant.name],
  ['per second', (variant) => variant.requestsPerSecond],
  ['p50 ms', (variant) => variant.p50Ms],
  ['p99 ms', (variant) => variant.p99Ms],
  ['CPU µs', (variant) => variant.cpuMicrosPerRequest],
  ['ratio', (variant) => variant.ratioToFloor],
  ['CPU ratio', (variant) => variant.cpuRatioToFloor],
  ['MiB', (variant) => variant.residentMiB],
  ['peak MiB', (variant) => variant.peakMiB],
  ['first MiB', (variant) => variant.firstMiB],
  ['MiB an hour', (variant) => variant.mebibytesPerHour],
  ['took ms', (variant) => variant.tookMs],
  ['/livez waited ms', (variant) => variant.waitedMs],
  ['status', (variant) => variant.status],
  ['reads a second', (variant) => variant.readsPerSecond],
  ['events a second', (variant) => variant.eventsPerSecond],
];

/** Formats the workload as a Markdown table without empty columns. */
export function formatTable({ name, variants, note }) {
  const used = columns.filter(([, value]) => variants.some((variant) => (value(variant) ?? null) !== null));
  const cells = [
    used.map(([title]) => title || name),
    ...variants.map((variant) => used.map(([, value]) => String(value(variant) ?? ''))),
  ];
  const widths = used.map((_, index) => Math.max(...cells.map((row) => row[index].length)));
  const line = (row) =>
    `| ${row.map((cell, index) => (index === 0 ? cell.padEnd(widths[index]) : cell.padStart(widths[index]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(cells[0]), rule, ...cells.slice(1).map(line), ...(note ? ['', note] : [])].join('\n');
}

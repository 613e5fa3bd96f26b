// `npm run bench -- [NAME] [options]`: runs one of the benchmarks, by default the comparison with other servers.
const benchmarks = {
  peers: 'the product beside the floor and other servers (the default; `--help` lists its options)',
  compare: 'the working tree beside an earlier commit: `--compare REF`',
  console: 'scrolling through a long list of the console in a browser',
  documents: 'invoices as PDF',
  lighthouse: "Lighthouse's figures of the console and of the customers' pages",
  revenue: 'revenue figures of 10,000 subscriptions in ten years',
  tax: 'the tax report of a year with a million invoices',
  waits: 'how long other requests wait during the most expensive requests',
};

const [first] = process.argv.slice(2);
const isNamed = first !== undefined && !first.startsWith('-');
if (isNamed) process.argv.splice(2, 1);
const name = isNamed ? first : process.argv.includes('--compare') ? 'compare' : 'peers';
if (Object.hasOwn(benchmarks, name)) {
  await import(`./${name}.mjs`);
} else {
  const list = Object.entries(benchmarks).map(([known, text]) => `  ${known.padEnd(12)}${text}`);
  console.error(`There is no benchmark ${name}, but:\n${list.join('\n')}`);
  process.exitCode = 1;
}

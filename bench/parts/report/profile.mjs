// Prints a table of inclusive and own times from a profile written by `--cpu-prof`. `node
// bench/parts/report/profile.mjs FILE.cpuprofile [BUNDLE.cjs.map] [LINES]`
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

const [file, mapFile, lines = '60'] = process.argv.slice(2);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
const map = mapFile ? new SourceMap(JSON.parse(readFileSync(mapFile, 'utf8'))) : undefined;

const byId = new Map(nodes.map((node) => [node.id, { ...node, own: 0, name: formatName(node.callFrame) }]));
const parentById = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
for (const [index, id] of samples.entries()) byId.get(id).own += timeDeltas[index];

const idle = new Set(['(idle)', '(program)', '(root)']);
const total = [...byId.values()].filter(({ name }) => !idle.has(name)).reduce((sum, { own }) => sum + own, 0);
const inclusive = new Map();
const own = new Map();
for (const node of byId.values()) {
  if (idle.has(node.name) || node.own === 0) continue;
  own.set(node.name, (own.get(node.name) ?? 0) + node.own);
  // Counts a recursive function once.
  const onStack = new Set();
  for (let id = node.id; id !== undefined; id = parentById.get(id)) onStack.add(byId.get(id).name);
  for (const name of onStack) inclusive.set(name, (inclusive.get(name) ?? 0) + node.own);
}
const percent = (time) => `${((100 * (time ?? 0)) / total).toFixed(1)} %`.padStart(7);
const ranked = [...inclusive].filter(([name]) => !idle.has(name)).toSorted(([, a], [, b]) => b - a);
console.log('inclusive     own  function');
for (const [name, time] of ranked.slice(0, Number(lines)))
  console.log(`${percent(time)}  ${percent(own.get(name))}  ${name}`);
console.log('\n    own  function');
const owned = [...own].toSorted(([, a], [, b]) => b - a);
for (const [name, time] of owned.slice(0, Number(lines) / 2)) console.log(`${percent(time)}  ${name}`);

function formatName({ functionName, url, lineNumber, columnNumber }) {
  const name = functionName || '(anonymous)';
  if (!url) return name;
  const entry = !url.startsWith('node:') && map?.findEntry(lineNumber, columnNumber);
  const source = entry?.originalSource ?? url;
  const short = source.replace(/^.*node_modules\//, '').replace(/^.*\/(src|dist)\//, '$1/');
  return `${name} ${short}:${(entry?.originalLine ?? lineNumber) + 1}`;
}

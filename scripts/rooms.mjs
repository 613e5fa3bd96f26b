// `npm run rooms`: the rooms of src and what each imports, as a Mermaid picture, with the number of files behind each arrow.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

const src = path.join(root, 'src');
const getRoom = (file) => path.relative(src, file).split(path.sep)[0].replace(/\.ts$/, '');

/** By room: the files that import from another, by that room. */
const arrows = new Map();
const files = readdirSync(src, { recursive: true }).filter((name) => name.endsWith('.ts'));
for (const file of files.map((name) => path.join(src, name))) {
  const room = getRoom(file);
  if (room === 'console') continue;
  const targets = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(
    ([, target]) => getRoom(path.resolve(path.dirname(file), target)),
  );
  const wanted = arrows.get(room) ?? arrows.set(room, new Map()).get(room);
  for (const target of new Set(targets))
    if (target !== room) wanted.set(target, (wanted.get(target) ?? 0) + 1);
}

console.log('graph TD');
for (const [room, wanted] of arrows) {
  for (const [target, importers] of wanted) console.log(`  ${room} -- ${importers} --> ${target}`);
}
const count = [...arrows.values()].reduce((sum, wanted) => sum + wanted.size, 0);
console.log(`%% ${arrows.size} rooms, ${count} arrows`);

// Builds packages/sdk: writes what it has of the server, and compiles it with its types; with --types only the first.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, run } from '../setup.mjs';
import { generateSdk } from './sdk/generate.mjs';

const folder = path.join(root, 'packages/sdk');

await generateSdk(path.join(folder, 'src/generated'));
if (!process.argv.includes('--types')) {
  rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  for (const name of ['types', 'events']) useTabs(path.join(folder, `dist/generated/${name}.d.ts`));
  console.log('Built packages/sdk/dist');
}

/** Indents by tabs: a tenth of the package is the white space of its largest files otherwise. */
function useTabs(file) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(/^( {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4)),
  );
}

// Bundles src/main.ts into one executable file, dist/perennial.mjs.
import { build } from 'esbuild';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { buildExplorer } from './build-explorer.mjs';
import { buildStamp, hashOfSources, program, root } from './setup.mjs';

// Taken before the build: a source that changes meanwhile must lead to another build.
const hash = hashOfSources();

rmSync(buildStamp, { force: true });
mkdirSync(new URL('../dist', import.meta.url), { recursive: true });

await buildExplorer();
const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outfile: program,
  write: false,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  // The names of classes become the names of GraphQL types.
  keepNames: true,
  // better-sqlite3 is compiled code; type-graphql asks for class-validator only where validation is on.
  external: ['better-sqlite3', 'class-validator'],
  // CommonJS packages inside the bundle still call require for Node's own modules.
  banner: {
    js: [
      '#!/usr/bin/env node',
      "import { createRequire as createBundleRequire } from 'node:module';",
      'const require = createBundleRequire(import.meta.url);',
    ].join('\n'),
  },
  logLevel: 'warning',
  metafile: true,
});

refuseTwoCopiesOfGraphql(Object.keys(metafile.inputs));
for (const file of outputFiles) writeFileSync(file.path, file.contents);
chmodSync(program, 0o755);
writeFileSync(buildStamp, hash);

const megabytes = outputFiles.find((file) => file.path === program).contents.length / 1e6;
console.log(`Built dist/perennial.mjs (${megabytes.toFixed(1)} MB)`);

/** graphql refuses types that another copy of itself has made, and only when a query runs. */
function refuseTwoCopiesOfGraphql(inputs) {
  const copies = new Set();
  for (const input of inputs) {
    const match = /^(.*node_modules\/graphql\/).*(\.m?js)$/.exec(input);
    if (match) copies.add(`${match[1]}*${match[2]}`);
  }
  if (copies.size > 1)
    throw new Error(`The bundle holds several copies of graphql: ${[...copies].join(', ')}`);
}

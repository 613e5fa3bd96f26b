// Bundles src/main.ts into one executable file, dist/perennial.mjs.
import { build } from 'esbuild';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { buildExplorer } from './build-explorer.mjs';
import { define, lighter } from './lighter.mjs';
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
  // Half the text to read and to keep, of one byte a character; where an error was thrown is still told by lines.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  charset: 'ascii',
  legalComments: 'linked',
  // better-sqlite3 is compiled code; type-graphql asks for class-validator only where validation is on.
  external: ['better-sqlite3', 'class-validator'],
  define,
  plugins: lighter,
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
// Whole or not at all: another process may be about to start it.
for (const { path, contents } of outputFiles) {
  writeFileSync(`${path}.new`, contents, { mode: path === program ? 0o755 : 0o644 });
  renameSync(`${path}.new`, path);
}
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

// `npm run stress -- fuzz --requests 20000 --seed 1`: sends requests generated from the OpenAPI document and the GraphQL
// schema, one in ten with invalid bytes, to the real server, which must refuse invalid requests with well-formed
// errors.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../build/bundle.mjs';
import { ensureBuilt, program, root } from '../setup.mjs';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    /** The same seed generates the same requests. */
    seed: { type: 'string' },
  },
});

ensureBuilt();
const { fuzz } = await load('test/stress/fuzz/fuzz.ts');
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-fuzz-'));
try {
  const figures = await fuzz({
    program,
    root,
    folder,
    requests: Number(values.requests),
    seed: values.seed === undefined ? crypto.getRandomValues(new Uint16Array(1))[0] : Number(values.seed),
    say: (line) => console.log(line),
  });
  console.log(figures);
  if (figures.serverErrors + figures.hung + figures.wrongForm > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

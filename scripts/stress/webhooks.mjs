// `npm run stress -- webhooks --events 1000 --kills 10 --failing 30`: kills a server repeatedly while it delivers
// webhooks to an endpoint that fails. `--database postgres://…` runs it on PostgreSQL.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, load } from '../build/bundle.mjs';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '10' },
    /** The percentage of calls that fail. */
    failing: { type: 'string', default: '30' },
    database: { type: 'string' },
  },
});
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-webhooks-'));
const { tortureWebhooks } = await load('test/stress/torture/webhooks.ts');
const begunAt = performance.now();
try {
  const figures = await tortureWebhooks({
    program: await bundle('src/main.ts'),
    database: values.database ?? `sqlite:${folder}/torture.db`,
    env: values.database ? { PERENNIAL_SECRET_KEY: randomBytes(32).toString('base64') } : {},
    events: Number(values.events),
    kills: Number(values.kills),
    failing: Number(values.failing),
    say: (line) => console.log(line),
  });
  console.table({ ...figures, seconds: Math.round((performance.now() - begunAt) / 100) / 10 });
  const { lost, outOfOrder, badSignatures, unfinished } = figures;
  if (lost + outOfOrder + badSignatures + unfinished > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

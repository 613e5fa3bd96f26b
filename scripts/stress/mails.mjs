// `npm run stress -- mails --mails 10000 --kills 10 --failing 30`: kills a server repeatedly while it sends mails to
// a mail server that refuses some of them for the time being. `--database postgres://…` runs it on PostgreSQL.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, load } from '../build/bundle.mjs';

const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '10' },
    /** The percentage of attempts that are refused. */
    failing: { type: 'string', default: '30' },
    database: { type: 'string' },
  },
});
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-mails-'));
const { tortureMails } = await load('test/stress/torture/mails.ts');
const begunAt = performance.now();
try {
  const figures = await tortureMails({
    program: await bundle('src/main.ts'),
    database: values.database ?? `sqlite:${folder}/torture.db`,
    env: values.database ? { PERENNIAL_SECRET_KEY: randomBytes(32).toString('base64') } : {},
    mails: Number(values.mails),
    kills: Number(values.kills),
    failing: Number(values.failing),
    say: (line) => console.log(line),
  });
  console.table({ ...figures, seconds: Math.round((performance.now() - begunAt) / 100) / 10 });
  if (figures.lost + figures.unfinished > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

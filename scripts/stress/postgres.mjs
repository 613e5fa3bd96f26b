// `npm run stress -- postgres --crashes 20`: crashes PostgreSQL under load repeatedly, and verifies that no
// acknowledged write was lost and that retries of refused writes doubled nothing.
import { parseArgs } from 'node:util';
import { load } from '../build/bundle.mjs';

const { values } = parseArgs({
  options: {
    crashes: { type: 'string', default: '20' },
    writers: { type: 'string', default: '32' },
    'up-ms': { type: 'string', default: '2000' },
    'down-ms': { type: 'string', default: '1000' },
  },
});
const { torture } = await load('test/stress/torture/postgres.ts');
const figures = await torture({
  crashes: Number(values.crashes),
  writers: Number(values.writers),
  upMs: Number(values['up-ms']),
  downMs: Number(values['down-ms']),
});
console.log({ crashes: Number(values.crashes), ...figures });
const wrong =
  figures.lost + figures.doubled + figures.neverAcknowledged + figures.withoutTrace + figures.others;
process.exit(wrong === 0 ? 0 : 1);

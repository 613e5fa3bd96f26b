// `npm run stress -- torture --cycles 100`: kills the real server with kill -9 under writing clients and a billing run,
// simulates power failures, traces its fsync calls, and verifies after each that nothing acknowledged was lost and
// nothing doubled.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../build/bundle.mjs';
import { ensureBuilt, program } from '../setup.mjs';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100' },
    writers: { type: 'string', default: '8' },
    /** The number of power failures of each kind. */
    cuts: { type: 'string', default: '3' },
    /** The number of responses traced with strace. */
    answers: { type: 'string', default: '100' },
    folder: { type: 'string', default: tmpdir() },
  },
});

ensureBuilt();
const { cutPower, killAgainAndAgain, watchSyncs } = await load('test/stress/faults/faults.ts');
const folder = mkdtempSync(path.join(values.folder, 'perennial-torture-'));
try {
  const syncs = await watchSyncs({ program, folder, answers: Number(values.answers) });
  console.log('fsync before each response', syncs);
  if (!syncs.skipped && syncs.synchronised !== Number(values.answers)) process.exitCode = 1;

  const power = await cutPower({ program, folder, cuts: Number(values.cuts) });
  console.log('power cuts', power);
  if (!power.skipped && !isTrustworthy(power)) process.exitCode = 1;

  const kills = await killAgainAndAgain({
    program,
    file: path.join(folder, 'torture.db'),
    cycles: Number(values.cycles),
    writers: Number(values.writers),
    say: (line) => console.log(line),
  });
  console.log('kill -9', kills);
  const { lost, doubled, withoutTrace, doubledPeriods, damaged, otherFaults, unexpected } = kills;
  if (lost + doubled + withoutTrace + doubledPeriods + damaged + otherFaults + unexpected > 0)
    process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * With full synchronization nothing may be lost. With weaker synchronization data must be lost: otherwise the test
 * proves nothing.
 */
function isTrustworthy({ full, normal }) {
  const wrong = full.lost + full.doubled + full.withoutTrace + full.damaged;
  return wrong === 0 && (normal.lost > 0 || normal.cuts === 0);
}

// Runs a Node program to its end and measures its CPU time. The same file is also loaded inside that program.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const fileVariable = 'BENCH_COST_FILE';
const self = fileURLToPath(import.meta.url);
const target = process.env[fileVariable];

// Inside the measured program.
if (target) {
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    writeFileSync(target, JSON.stringify({ cpuMicros: userCPUTime + systemCPUTime, peakMiB: maxRSS / 1024 }));
  });
}

/** Returns the output and the cost of a program. Throws an Error with its output if it fails. */
export async function measureCost(args, file) {
  const begunAt = performance.now();
  const child = spawn(process.execPath, ['--import', self, ...args], {
    env: { ...process.env, NODE_ENV: 'production', [fileVariable]: file },
  });
  let printed = '';
  let said = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (said = `${said}${chunk}`.slice(-2000)));
  const code = await new Promise((resolve) => void child.once('close', resolve));
  const seconds = (performance.now() - begunAt) / 1000;
  if (code !== 0) throw new Error(`it ended with ${code}: ${said || printed}`);
  return { ...JSON.parse(readFileSync(file, 'utf8')), seconds, printed };
}

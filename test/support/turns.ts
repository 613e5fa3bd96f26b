import { existsSync, readFileSync } from 'node:fs';

const ofThread = '/proc/thread-self/schedstat';

/** The processor time that this thread has used, in milliseconds; where nobody counts by thread, that of the process. */
function cpuMs(): number {
  const newer = process as typeof process & { threadCpuUsage?: () => NodeJS.CpuUsage };
  if (!newer.threadCpuUsage && existsSync(ofThread)) {
    return Number(readFileSync(ofThread, 'utf8').split(' ')[0]) / 1e6;
  }
  const { user, system } = newer.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

/** Watches the turns of this thread's event loop; `stop` returns the most processor time that one has taken, in milliseconds. */
export function watchTurns() {
  let longestMs = 0;
  let isOver = false;
  let lastMs = cpuMs();
  const look = () => {
    const nowMs = cpuMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop: () => {
      isOver = true;
      return longestMs;
    },
  };
}

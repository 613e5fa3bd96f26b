// Describes the machine of the measurements.
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { clientName, connections } from '../load/load.mjs';
import { cores } from '../servers/processes.mjs';

export const machine = {
  cpu: cpus()[0].model.trim(),
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.version,
  client: `${clientName}, ${connections} connections`,
  pinned: cores ? 'client and server each to a core' : 'no',
};

// `npm test`: installs dependencies if necessary, then runs the tests. Extra arguments are passed to vitest.
import { ensureInstalled, root } from './setup.mjs';

ensureInstalled();

process.chdir(root);
process.argv.splice(2, 0, 'run');
await import('../node_modules/vitest/vitest.mjs');

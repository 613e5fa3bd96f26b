// `npm test`: installs dependencies and builds if necessary, then runs the tests. Extra arguments are passed to vitest.
import { ensureBuilt, ensureInstalled, root } from './setup.mjs';

ensureInstalled();
// Some tests start the program, or read pages that only a build makes.
ensureBuilt();

process.chdir(root);
process.argv.splice(2, 0, 'run');
await import('../node_modules/vitest/vitest.mjs');

// `npm start`: installs and builds what is missing, then serves. Extra arguments go to `serve`.
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, program } from './setup.mjs';

ensureInstalled();
ensureBuilt();
if (process.env.npm_lifecycle_event === 'start') stopWithParent();

// Run in this very process: signals and the exit code then need no one to pass them on.
process.argv.splice(1, 1, program, 'serve', '--demo');
await import(pathToFileURL(program).href);

/** A SIGTERM to npm ends only the shell between npm and this process, which would go on serving unseen. */
function stopWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}

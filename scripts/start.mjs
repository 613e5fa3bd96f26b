// `npm start`: installs and builds if necessary, then serves. Extra arguments are passed to `serve`.
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, program } from './setup.mjs';

ensureInstalled({ programOnly: true });
ensureBuilt();
if (process.env.npm_lifecycle_event === 'start') stopWithParent();

// Runs in this process, so that signals and the exit code need no forwarding.
process.argv.splice(1, 1, program, 'serve', '--demo');
await import(pathToFileURL(program).href);

/** A SIGTERM to npm ends only the shell between npm and this process, which would otherwise continue to serve. */
function stopWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}

// `npm start`: installs and builds if necessary, then serves. Extra arguments are passed to `serve`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { installDriver, keepDriver, placeDriver, removeBuildPackages } from './driver.mjs';
import { installLocked, placePackages } from './lockedPackages.mjs';
import { isBuilt, isDriverLoadable, isInstalled, program, replaceUnsafeDriver, root } from './setup.mjs';

const begunAt = performance.now();
try {
  await prepare();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
if (process.env.npm_lifecycle_event === 'start') stopWithParent();

// Runs in this process, so that signals and the exit code need no forwarding.
process.argv.splice(1, 1, program, 'serve', '--demo');
await import(pathToFileURL(program).href);

/** Installs and builds what is missing. */
async function prepare() {
  if (isBuilt() && isDriverLoadable()) return;
  if (isInstalled(true)) {
    console.log('Building (the sources have changed) …');
    await build();
    return;
  }
  console.log(
    existsSync(program)
      ? 'The sources have changed: installing what the build needs, and building …'
      : 'The first start takes about a minute: packages, the driver of the database, the build, a demo.',
  );
  // Compiling it again would take longer than the rest after an update.
  const driver = keepDriver() ? Promise.resolve('kept') : installDriver();
  // Awaited after the packages.
  driver.catch(() => {});
  const packages = path.join(root, 'dist/packages');
  await installLocked(root, packages, ['--include=dev'], ['better-sqlite3']);
  placePackages(packages, root);
  report('the packages of the build are installed');
  await build(driver);
  removeBuildPackages();
}

/** Builds dist/, and waits for the driver only where the program has to run for it. */
async function build(driver) {
  const child = fork(path.join(root, 'scripts/build/program.mjs'));
  const ended = once(child, 'exit');
  try {
    if (driver) {
      report(`the driver of SQLite is ${await driver}`);
      placeDriver();
      replaceUnsafeDriver();
    }
    child.send('driver');
  } catch (error) {
    child.kill();
    throw error;
  }
  const [status] = await ended;
  if (status !== 0) throw new Error('The build has failed.');
  report('the program is built');
}

/** Prints what is done, and when. */
function report(what) {
  console.log(`  ${((performance.now() - begunAt) / 1000).toFixed(0).padStart(3)} s  ${what}`);
}

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

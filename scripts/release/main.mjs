// `npm run release -- v0.10.0 [folder]`: makes a release from a tag, in a fresh clone of it: the npm package, the executable
// and the image, each with the list of what is inside, and their checksums. Each is started and asked real requests; the
// folder appears only if all respond.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../setup.mjs';

const [tag, folder = `releases/${tag}`] = process.argv.slice(2);
if (!tag) fail('Usage: npm run release -- TAG [folder]');
const target = path.resolve(folder);
if (existsSync(target)) fail(`${target} exists.`);
if (!git(['rev-parse', '--verify', '--quiet', `refs/tags/${tag}`])) fail(`There is no tag ${tag}.`);

const work = mkdtempSync(path.join(tmpdir(), 'perennial-release-'));
const clone = path.join(work, 'source');
try {
  run(
    'git',
    [
      '-c',
      'advice.detachedHead=false',
      'clone',
      '--quiet',
      '--depth=1',
      '--branch',
      tag,
      `file://${root}`,
      clone,
    ],
    work,
  );
  const origin = git(['remote', 'get-url', 'origin']);
  // The package names the repository that it comes from, which is not this folder.
  if (origin) run('git', ['remote', 'set-url', 'origin', origin], clone);
  const made = path.join(work, 'release');
  run(process.execPath, ['scripts/release/make.mjs', tag, made], clone);
  run('cp', ['-r', made, `${target}.new`], work);
  renameSync(`${target}.new`, target);
  console.log(`The release is in ${target}.`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function git(args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed.`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

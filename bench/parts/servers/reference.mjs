// Builds an earlier commit of the product, to be measured beside the working tree.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';

const lockfile = 'package-lock.json';

/**
 * Returns the short name, the program and the GraphQL schema of a commit. It is exported to `bench/.references` and built there once. Throws
 * an Error if the commit is unknown or cannot be built.
 */
export function buildReference(ref) {
  const commit = git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`).trim();
  const folder = path.join(root, 'bench/.references', commit);
  const program = path.join(folder, 'dist/perennial.mjs');
  const stamp = path.join(folder, '.built');
  const name = commit.slice(0, 8);
  const schema = git('show', `${commit}:schema.graphql`);
  if (existsSync(stamp)) return { name, program, schema };
  console.log(`Building ${name} (first comparison with it) …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Without git's own record of work trees, which would outlive a removed folder.
  run('tar', ['-x', '-C', folder], { input: git('archive', '--format=tar', commit) });
  installPackages(folder);
  // By the commit's own script, wherever it is.
  run('npm', ['run', '--silent', 'build'], { cwd: folder });
  writeFileSync(stamp, `${commit}\n`);
  return { name, program, schema };
}

/** The packages of the working tree serve if the commit has the same list; installing takes two minutes. */
function installPackages(folder) {
  const read = (parent) => readFileSync(path.join(parent, lockfile), 'utf8');
  const own = path.join(root, 'node_modules');
  if (read(folder) === read(root)) symlinkSync(own, path.join(folder, 'node_modules'), 'dir');
  else run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: folder });
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'latin1', maxBuffer: 2 ** 30 });
  } catch (error) {
    throw new Error(`git ${args.join(' ')} failed: ${error.stderr || 'there is no such commit'}`, {
      cause: error,
    });
  }
}

function run(command, args, { cwd = root, input } = {}) {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd,
    input: input && Buffer.from(input, 'latin1'),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${stderr.slice(-2000)}`);
}

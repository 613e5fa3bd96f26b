/** The package of the SDK, packed and installed in an empty folder as an adopter has it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../sourceFiles.ts';

/** Of what the package is made. */
const sources = [
  'packages/sdk',
  'scripts/build/sdk',
  'scripts/build/sdk.mjs',
  'schema.graphql',
  'src/lib/errors.ts',
  'src/lib/version.ts',
  'src/tenancy/traces/eventTypes.ts',
  'src/outgoing/webhooks/eventExamples.json',
];
const built = ['packages/sdk/dist', 'packages/sdk/src/generated', 'packages/sdk/LICENSE'];
const keptMs = 24 * 3_600_000;

const listFiles = (name: string): string[] => {
  if (built.includes(name)) return [];
  if (!statSync(path.join(root, name)).isDirectory()) return [name];
  return readdirSync(path.join(root, name))
    .toSorted()
    .flatMap((child) => listFiles(`${name}/${child}`));
};

const npm = (args: string[], cwd: string) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, encoding: 'utf8' });

/** Installs the package unless the sources are those of the last time. Returns the folder that has it. */
export function installSdk(): string {
  const hash = createHash('sha256').update(root);
  for (const file of sources.flatMap(listFiles)) hash.update(readFileSync(path.join(root, file)));
  const folder = path.join(tmpdir(), `perennial-sdk-${hash.digest('hex').slice(0, 16)}`);
  const done = path.join(folder, '.done');
  for (let tries = 0; !existsSync(done); tries += 1) {
    if (tries === 600) throw new Error(`${folder} is not complete; remove it`);
    if (!tryLock(folder)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    else {
      try {
        removeFormer();
        install(folder);
        writeFileSync(done, '');
      } catch (error) {
        rmSync(folder, { recursive: true });
        throw error;
      }
    }
  }
  return folder;
}

/** Whether this process is to install it: the first one makes the folder. */
function tryLock(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Removes what earlier sources left. */
function removeFormer() {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith('perennial-sdk-'))) {
    const former = path.join(tmpdir(), name);
    if (statSync(former).mtimeMs < Date.now() - keptMs) rmSync(former, { recursive: true });
  }
}

function install(folder: string) {
  // As `npm init` writes it.
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  npm(['pack', './packages/sdk', '--pack-destination', folder], root);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  npm(['install', '--offline', `./${tarball}`], folder);
}

export const findInstalled = (folder: string): string => path.join(folder, 'node_modules/@perennial/sdk');

/** Imports a part of the installed package, such as `webhooks`; its types are checked by test/sdk/package.test.ts. */
export const importSdk = (part = 'index'): Promise<any> =>
  import(/* @vite-ignore */ pathToFileURL(path.join(findInstalled(installSdk()), `dist/${part}.js`)).href);

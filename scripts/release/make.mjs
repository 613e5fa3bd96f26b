// The part of a release that is made by the scripts of the tag itself, in its clone: `scripts/release/main.mjs` runs it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureRuntime } from '../build/runtime.mjs';
import { installDriver, placeDriver } from '../driver.mjs';
import { installLocked, placePackages } from '../lockedPackages.mjs';
import { binary, replaceUnsafeDriver, root } from '../setup.mjs';
import { createWorkFolder, makeImage, writeArchive } from './image.mjs';
import {
  describeLockedPackages,
  listExecutableMaterials,
  listImageMaterials,
  listPackageMaterials,
} from './materials.mjs';
import { proveExecutable, proveImage, provePackage } from './proofs.mjs';

const [tag, out] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
if (tag.replace(/^v/, '') !== version) throw new Error(`The tag ${tag} is not of the version ${version}.`);
const platform = `${process.platform}-${process.arch}`;
const begunAt = performance.now();
mkdirSync(out, { recursive: true });
const work = createWorkFolder();
try {
  await install();
  nameRepository();
  npm('run', 'build');
  npm('run', 'build:binary');
  report('built');
  const npmMaterials = describeLockedPackages();
  await makePackage(npmMaterials);
  const { node } = ensureRuntime();
  await makeExecutable(npmMaterials, node);
  if (process.platform === 'linux') await publishImage(npmMaterials, node);
  writeChecksums();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function install() {
  const packages = path.join(root, 'dist/packages');
  await installLocked(root, packages, ['--include=dev'], ['better-sqlite3']);
  placePackages(packages, root);
  await installDriver();
  placeDriver();
  replaceUnsafeDriver();
  report('installed what builds it');
}

/** Writes the address of the repository into package.json, for the package. */
function nameRepository() {
  const origin = execFileSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8' }).trim();
  const [, host, name] = /^(?:https:\/\/|ssh:\/\/git@|git@)([\w.-]+)[:/](.+?)(?:\.git)?$/.exec(origin) ?? [];
  if (!host) return report(`the package names no repository: ${origin} is a folder`);
  npm('pkg', 'set', 'repository.type=git', `repository.url=git+https://${host}/${name}.git`);
}

async function makePackage(npmMaterials) {
  const name = `perennial-${version}.tgz`;
  npm('pack', '--ignore-scripts', '--pack-destination', out);
  writeMaterials(`perennial-${version}.tgz`, listPackageMaterials(npmMaterials));
  await provePackage(path.join(out, name), path.join(work, 'package'));
  report(`${name} serves, installed from the registry into an empty folder`);
}

async function makeExecutable(npmMaterials, node) {
  const name = `perennial-${version}-${platform}`;
  copyFileSync(binary, path.join(out, name));
  writeMaterials(name, listExecutableMaterials(npmMaterials, node));
  await proveExecutable(path.join(out, name), path.join(work, 'executable'));
  report(`${name} serves, alone in an empty folder`);
}

async function publishImage(npmMaterials, node) {
  const name = `perennial-${version}-image-${platform}.tar`;
  const image = makeImage(path.join(work, 'image'));
  const created = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' }).trim();
  writeArchive(image, path.join(out, name), path.join(work, 'image'), created);
  writeMaterials(name, listImageMaterials(npmMaterials, node, image.packages));
  if (process.getuid() !== 0) throw new Error('Only root can start the image: run the release as root.');
  await proveImage(image, path.join(work, 'running'));
  report(`${name} serves in its own root file system, as its user`);
}

function writeMaterials(name, materials) {
  writeFileSync(path.join(out, `${name}.cdx.json`), `${JSON.stringify(materials, undefined, 1)}\n`);
}

/** Writes SHA256SUMS, which `sha256sum --check` reads. */
function writeChecksums() {
  const lines = readdirSync(out)
    .toSorted()
    .map((name) => {
      const hash = createHash('sha256').update(readFileSync(path.join(out, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    });
  writeFileSync(path.join(out, 'SHA256SUMS'), lines.join(''));
  report(`${lines.length} files with their checksums`);
}

function npm(...args) {
  execFileSync('npm', [...args, '--loglevel=error'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

function report(what) {
  console.log(`${((performance.now() - begunAt) / 1000).toFixed(0).padStart(4)} s  ${what}`);
}

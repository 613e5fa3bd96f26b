// Installs the packages of a lock file into a folder of their own, without asking the registry for the versions of each.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quietly } from './setup.mjs';

/**
 * Installs what the lock file in the folder `from` needs, without workspaces and the packages `without`, into `to`/node_modules. The lock file has the
 * hashes of the packages but no addresses, so npm would load the list of all versions of each package to find one: half of
 * the time. The copy in `to` has the address that a registry has a package at; if the packages are elsewhere, npm looks them up.
 */
export async function installLocked(from, to, args = [], without = []) {
  const manifest = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8'));
  delete manifest.workspaces;
  const lock = JSON.parse(readFileSync(path.join(from, 'package-lock.json'), 'utf8'));
  delete lock.packages[''].workspaces;
  for (const name of without) {
    delete manifest.dependencies[name];
    delete lock.packages[''].dependencies[name];
  }
  lock.packages = pickNeeded(lock.packages);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  writeFileSync(path.join(to, 'package.json'), JSON.stringify(manifest));
  const install = async (packages) => {
    writeFileSync(path.join(to, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
    await perform('npm', ['ci', '--ignore-scripts', ...args, ...quietly], npmOptions(to));
  };
  try {
    const registry = (await perform('npm', ['config', 'get', 'registry'], npmOptions(to))).trim();
    await install(addAddresses(lock.packages, registry.replace(/\/?$/, '/')));
  } catch {
    await install(lock.packages);
  }
}

/** Puts the packages that were installed in `from` in the place of those in `to`. */
export function placePackages(from, to) {
  rmSync(path.join(to, 'node_modules'), { recursive: true, force: true });
  renameSync(path.join(from, 'node_modules'), path.join(to, 'node_modules'));
  rmSync(from, { recursive: true, force: true });
}

/** Picks the packages of a lock file that the root needs itself, without those of its workspaces. */
export function pickNeeded(packages) {
  const { dependencies, devDependencies, optionalDependencies } = packages[''];
  const needed = new Set(['']);
  const add = (parent, names) => {
    for (const name of names) {
      const found = findPackage(packages, parent, name);
      if (found === undefined || needed.has(found)) continue;
      needed.add(found);
      add(found, listNames(packages[found]));
    }
  };
  add('', Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }));
  return Object.fromEntries(Object.entries(packages).filter(([place]) => needed.has(place)));
}

/** Lists what a package needs, and what npm installs beside it. */
function listNames({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Returns where Node finds a package that is required from another one. */
function findPackage(packages, parent, name) {
  for (let from = parent; ; from = from.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const place = `${from ? `${from}/` : ''}node_modules/${name}`;
    if (packages[place]) return place;
    if (!from) return undefined;
  }
}

/** Adds the address of each package at a registry. */
export function addAddresses(packages, registry) {
  const addressed = Object.entries(packages).map(([place, entry]) => {
    if (place === '' || !entry.integrity) return [place, entry];
    const name = entry.name ?? place.replace(/^.*node_modules\//, '');
    const file = `${name.replace(/^.*\//, '')}-${entry.version}.tgz`;
    return [place, { ...entry, resolved: `${registry}${name}/-/${file}` }];
  });
  return Object.fromEntries(addressed);
}

const npmOptions = (cwd) => ({ cwd, shell: process.platform === 'win32' });

/** Runs a program without showing its output, which becomes the message of the error if it fails. */
export function perform(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (status) =>
      status === 0 ? resolve(output) : reject(new Error(`${command} ${args[0]} failed:\n${output}`)),
    );
  });
}

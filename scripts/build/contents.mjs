// Keeps which packages each part of dist/ is made of, for the list of materials of a release.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup.mjs';

const folder = path.join(root, 'dist/contents');
const fileOf = (part) => path.join(folder, `${part}.json`);

/** The parts that the program reads at run time, besides its own bundle. */
export const servedParts = ['console', 'docs', 'documents', 'explorer'];

/** Keeps the packages of a bundle of esbuild: those with code in an output, not those that it only looked at. */
export const recordBundle = (part, { outputs }) =>
  recordModules(
    part,
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
    ),
  );

/** Keeps the packages of the given files, by their folders as in package-lock.json. */
export function recordModules(part, files) {
  const packages = new Set(files.map(findPackage).filter((name) => name !== undefined));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    fileOf(part),
    `${JSON.stringify(
      [...packages].toSorted((a, b) => (a < b ? -1 : 1)),
      undefined,
      2,
    )}\n`,
  );
}

/** Returns the folders of the packages in a part, such as `node_modules/graphql`. */
export const readContents = (part) => JSON.parse(readFileSync(fileOf(part), 'utf8'));

/** The innermost package of a file: `node_modules/a/node_modules/@b/c`. */
function findPackage(file) {
  const [, inPackages] = /(node_modules\/.*)$/s.exec(file.replaceAll('\\', '/')) ?? [];
  return inPackages && /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(inPackages)[0];
}

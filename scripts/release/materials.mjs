// Lists what is inside of each part of a release (CycloneDX): the packages with code in its bundles, with the hashes of
// package-lock.json, and what they carry.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readContents, servedParts } from '../build/contents.mjs';
import { root } from '../setup.mjs';

/** Found in the files by nobody else: data that the program ships and no package names. */
const fonts = [
  { name: 'Noto Sans', version: '2.015', license: 'OFL-1.1' },
  { name: 'Vazirmatn', version: '33.003', license: 'OFL-1.1' },
  { name: 'Noto Sans Hebrew', version: '3.001', license: 'OFL-1.1' },
  { name: 'Noto Sans Thai', version: '2.002', license: 'OFL-1.1' },
  { name: 'Noto Sans Bengali', version: '3.011', license: 'OFL-1.1' },
  { name: 'Noto Sans Tamil', version: '2.004', license: 'OFL-1.1' },
  { name: 'Noto Sans Georgian', version: '2.005', license: 'OFL-1.1' },
  { name: 'Noto Sans Armenian', version: '2.008', license: 'OFL-1.1' },
  { name: 'Noto Emoji', version: '3.006', license: 'OFL-1.1' },
  { name: 'Noto Sans SC', version: '2.004', license: 'OFL-1.1' },
  { name: 'Noto Sans TC', version: '2.004', license: 'OFL-1.1' },
  { name: 'Noto Sans JP', version: '2.004', license: 'OFL-1.1' },
  { name: 'Noto Sans KR', version: '2.004', license: 'OFL-1.1' },
  { name: 'Liberation Sans', version: '2.1.5', license: 'OFL-1.1' },
].map(({ name, version, license }) => ({
  'bom-ref': `${name}@${version}`,
  type: 'data',
  name,
  version,
  licenses: [{ license: { id: license } }],
}));

/** What the npm package has: its bundles, and the driver that npm installs beside it. */
export const listPackageMaterials = (npm) =>
  listMaterials(npm, ['program', ...servedParts], ['node_modules/better-sqlite3'], [describeSqlite()]);

/** What the executable has: its bundles and Node, with what Node is made of. */
export const listExecutableMaterials = (npm, node) =>
  listMaterials(npm, ['binary', ...servedParts], [], [describeSqlite(), ...describeNode(node)]);

/** What the image has: the executable and Debian's packages, named as `libc6_2.36-9_amd64`. */
export function listImageMaterials(npm, node, packages) {
  const materials = listExecutableMaterials(npm, node);
  const debian = packages.map((each) => {
    const [name, version, architecture] = each.replaceAll('%3a', ':').split('_');
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`;
    return { 'bom-ref': purl, type: 'library', name, version, purl };
  });
  return { ...materials, components: [...materials.components, ...debian] };
}

/** Everything that package-lock.json has for the program and its build, as npm describes it. */
export function describeLockedPackages() {
  const options = [
    '--sbom-format=cyclonedx',
    '--package-lock-only',
    '--workspaces=false',
    '--loglevel=error',
  ];
  return JSON.parse(
    execFileSync('npm', ['sbom', ...options], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }),
  );
}

function listMaterials(npm, parts, folders, others) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const inside = new Set(
    [...parts.flatMap(readContents), ...folders].map((folder) => {
      const name = packages[folder].name ?? folder.split('node_modules/').at(-1);
      return `${name}@${packages[folder].version}`;
    }),
  );
  const found = npm.components.filter((each) => inside.delete(each['bom-ref']));
  if (inside.size > 0) throw new Error(`npm does not describe ${[...inside].join(', ')}.`);
  const refs = new Set(found.map((each) => each['bom-ref']));
  const { component, ...metadata } = npm.metadata;
  const own = component['bom-ref'];
  return {
    ...npm,
    metadata: {
      ...metadata,
      lifecycles: [{ phase: 'build' }],
      component: { ...component, name: 'perennial', type: 'application' },
    },
    // npm marks what only the build of the program needs: here it is inside.
    components: [
      ...found.map((each) => ({ ...each, scope: 'required', properties: [] })),
      ...fonts,
      ...others,
    ],
    dependencies: npm.dependencies
      .filter(({ ref }) => refs.has(ref) || ref === own)
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
  };
}

function describeSqlite() {
  const defines = readFileSync(path.join(root, 'node_modules/better-sqlite3/deps/sqlite3/sqlite3.h'), 'utf8');
  const version = /#define SQLITE_VERSION\s+"([\d.]+)"/.exec(defines)[1];
  return { ...describeGeneric('sqlite', version), licenses: [{ license: { id: 'blessing' } }] };
}

/** Node and what is built into it, by its own account. */
function describeNode(node) {
  const versions = JSON.parse(
    execFileSync(node, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }),
  );
  return Object.entries(versions)
    .filter(([name]) => !isInterface.has(name))
    .map(([name, version]) => describeGeneric(name, version));
}

/** Versions of interfaces and data, not of software. */
const isInterface = new Set(['modules', 'napi', 'unicode', 'cldr', 'tz']);

function describeGeneric(name, version) {
  const purl = `pkg:generic/${name}@${encodeURIComponent(version)}`;
  return { 'bom-ref': purl, type: 'library', name, version, purl };
}

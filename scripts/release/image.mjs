// Makes the image of the Dockerfile without a container engine or a registry: its base from Debian's packages by
// mmdebstrap, and the result as an OCI archive, which `docker load`, podman and skopeo read.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../setup.mjs';
import { readDockerfile } from './dockerfile.mjs';

/** What the bases are made of: Debian's packages, the variables of the base, and its user. */
const bases = {
  'gcr.io/distroless/cc-debian12:nonroot': {
    suite: 'bookworm',
    packages: ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6'],
    variables: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    users: 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
    groups: 'root:x:0:\nnonroot:x:65532:\n',
  },
};

/** Architectures as images name them. */
const architectures = { x64: 'amd64', arm64: 'arm64' };
const commonOptions = ['--numeric-owner', '--sort=name', '--mtime=@0', '--format=gnu'];

/**
 * Makes the layers of the Dockerfile in a new folder `work`: tar files, the lower one first. Returns them with the
 * settings of the image and the names of Debian's packages, such as `libc6_2.36-9_amd64`.
 */
export function makeImage(work) {
  mkdirSync(work, { recursive: true });
  const { base, copies, config } = readDockerfile(path.join(root, 'Dockerfile'));
  const known = bases[base];
  if (!known) throw new Error(`The packages of ${base} are not known.`);
  const { layer, packages } = makeBase(known, work);
  const own = path.join(work, 'own.tar');
  addFile(own, work, 'etc/passwd', known.users);
  addFile(own, work, 'etc/group', known.groups);
  for (const copy of copies) addCopy(own, work, copy);
  return { layers: [layer, own], config: { ...config, Env: [...known.variables, ...config.Env] }, packages };
}

/** Unpacks the layers of an image into a folder, as root, with their owners. */
export function unpackImage({ layers }, folder) {
  mkdirSync(folder, { recursive: true });
  for (const layer of layers) run('tar', ['-xpf', layer, '--numeric-owner', '--same-owner', '-C', folder]);
}

/** Writes an image as an OCI archive. */
export function writeArchive({ layers, config }, file, work, created) {
  const folder = path.join(work, 'archive');
  const blobs = path.join(folder, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const add = (content, mediaType) => {
    const digest = hash(content);
    writeFileSync(path.join(blobs, digest), content);
    return { mediaType, digest: `sha256:${digest}`, size: content.length };
  };
  const contents = layers.map((layer) => readFileSync(layer));
  const described = contents.map((content) =>
    add(gzipSync(content), 'application/vnd.oci.image.layer.v1.tar+gzip'),
  );
  const architecture = architectures[process.arch];
  const image = {
    created,
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: contents.map((content) => `sha256:${hash(content)}`) },
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: add(toJson(image), 'application/vnd.oci.image.config.v1+json'),
    layers: described,
  };
  const listed = { ...add(toJson(manifest), manifest.mediaType), platform: { architecture, os: 'linux' } };
  listed.annotations = { 'org.opencontainers.image.ref.name': path.basename(file, '.tar') };
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [listed],
  };
  writeFileSync(path.join(folder, 'index.json'), toJson(index));
  writeFileSync(path.join(folder, 'oci-layout'), toJson({ imageLayoutVersion: '1.0.0' }));
  run('tar', ['-cf', file, ...commonOptions, '-C', folder, 'oci-layout', 'index.json', 'blobs']);
}

/** Makes the layer of a base; returns it with the names of Debian's packages in it. */
function makeBase({ suite, packages }, work) {
  const layer = path.join(work, 'base.tar');
  const list = path.join(work, 'packages.txt');
  const [program, ...args] = findMmdebstrap(work);
  const hook = `ls "$1"/var/cache/apt/archives > '${list}'`;
  const options = ['--variant=extract', `--include=${packages.join(',')}`, `--extract-hook=${hook}`];
  const env = { ...process.env, SOURCE_DATE_EPOCH: '0' };
  run(program, [...args, '--quiet', ...options, suite, layer], { env });
  const names = readFileSync(list, 'utf8').match(/^.*(?=\.deb$)/gm);
  return { layer, packages: names };
}

/** The command of mmdebstrap: that of the machine, or Debian's package of it, unpacked for this time. */
function findMmdebstrap(work) {
  try {
    run('mmdebstrap', ['--version']);
    return ['mmdebstrap'];
  } catch {
    const folder = mkdtempSync(path.join(work, 'mmdebstrap-'));
    run('apt-get', ['download', '--quiet', 'mmdebstrap'], { cwd: folder });
    execFileSync('sh', ['-c', 'dpkg-deb -x mmdebstrap_*.deb .'], { cwd: folder });
    return ['perl', path.join(folder, 'usr/bin/mmdebstrap')];
  }
}

/** Adds a file with the given content to a tar file. */
function addFile(tar, work, name, content) {
  const from = path.join(work, path.basename(name));
  writeFileSync(from, content, { mode: 0o644 });
  addCopy(tar, work, { from, to: `/${name}`, owner: '0:0' });
}

function addCopy(tar, work, { from, to, owner }) {
  const stage = mkdtempSync(path.join(work, 'copy-'));
  const name = to.slice(1);
  mkdirSync(path.dirname(path.join(stage, name)), { recursive: true });
  cpSync(from, path.join(stage, name), { recursive: true });
  const [user, group] = owner.split(':');
  const mode = existsSync(tar) ? '-r' : '-c';
  const options = [...commonOptions, `--owner=${user}`, `--group=${group}`, '--mode=u=rwX,go=rX'];
  run('tar', [mode, '-f', tar, ...options, '-C', stage, name]);
  rmSync(stage, { recursive: true });
}

const hash = (content) => createHash('sha256').update(content).digest('hex');
const toJson = (value) => Buffer.from(JSON.stringify(value));

function run(command, args, options = {}) {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
}

/** A folder for a release, which its maker removes. The executable in it is started as another user. */
export function createWorkFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-image-'));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * The image: each line of the Dockerfile takes effect, in a root file system of Debian's packages that mmdebstrap makes,
 * with the executable that `npm run build:binary` has built. Only root on Linux can start it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { describeLockedPackages, listImageMaterials } from '../../scripts/release/materials.mjs';
import { makeImage, writeArchive } from '../../scripts/release/image.mjs';
import { proveImage } from '../../scripts/release/proofs.mjs';
import { findExecutableProblem } from '../support/program.ts';

const canStart = process.platform === 'linux' && process.getuid?.() === 0;
const reason = findExecutableProblem() ?? (canStart ? undefined : 'only root on Linux can start it.');
if (reason) console.log(`The tests of the image are skipped: ${reason}`);

describe.skipIf(reason !== undefined)('the image', () => {
  let folder: string;
  let image: ReturnType<typeof makeImage>;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'perennial-image-'));
    image = makeImage(path.join(folder, 'work'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('serves as process 1 of its own root file system, as its user, is healthy, and stops by its signal', async () => {
    const { config } = image;
    expect(config.User).not.toMatch(/^(0|root)\b/);
    expect(config.ExposedPorts).toEqual({ [`${settings.port.default}/tcp`]: {} });
    expect(await proveImage(image, path.join(folder, 'root'))).toContain('perennial.db');
  });

  it('is an archive whose digests are those of its files, with a list of what is inside', () => {
    const file = path.join(folder, 'image.tar');
    // Without the executable, which takes seconds to compress.
    const base = { ...image, layers: image.layers.slice(0, 1) };
    writeArchive(base, file, path.join(folder, 'work'), '2026-01-01T00:00:00Z');
    const read = (name: string) => execFileSync('tar', ['-xOf', file, name], { maxBuffer: 1e9 });
    const readBlob = ({ digest, size }: { digest: string; size: number }) => {
      const content = read(`blobs/${digest.replace(':', '/')}`);
      expect(content.length).toBe(size);
      return content;
    };
    const [listed] = JSON.parse(String(read('index.json'))).manifests;
    const manifest = JSON.parse(String(readBlob(listed)));
    const config = JSON.parse(String(readBlob(manifest.config)));
    expect(config.config).toEqual(image.config);
    expect(config.rootfs.diff_ids).toHaveLength(1);
    for (const layer of manifest.layers) readBlob(layer);

    const materials = listImageMaterials(describeLockedPackages(), process.execPath, image.packages);
    const names = materials.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['libc6', 'libstdc++6', 'node', 'sqlite', 'graphql']));
    expect(readFileSync(path.join(folder, 'root/etc/passwd'), 'utf8')).toContain(':65532:65532:');
  });
});

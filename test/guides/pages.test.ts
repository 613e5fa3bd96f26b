/** Pages name only variables that the program knows (it refuses any other `PERENNIAL_…`), and link to what exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/lib/config.ts';
import { settings } from '../../src/lib/settings.ts';
import { root } from '../sourceFiles.ts';

const isUnknown = (variable: string) => {
  try {
    readConfig({}, { [variable]: 'x' });
    return false;
  } catch (error) {
    return (error as Error).message.endsWith('is not a setting.');
  }
};
const folders = ['.', 'docs', 'docs/guides', 'docs/operations', 'docs/decisions'];
const pages = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder))
    .filter((name) => /\.(md|mjs)$/.test(name) && name !== 'CHANGELOG.md')
    .map((name) => path.join(folder, name)),
);

it.each(pages)('%s names no unknown variable', (page) => {
  const named = readFileSync(path.join(root, page), 'utf8').match(/\bPERENNIAL_[A-Z_]+\b/g) ?? [];
  expect([...new Set(named)].filter(isUnknown)).toEqual([]);
});

it.each(pages.filter((page) => page.endsWith('.md')))('%s links to files that exist', (page) => {
  const text = readFileSync(path.join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
  const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target]) => target!);
  const files = targets.filter((target) => !/^https?:/.test(target));
  const missing = files.filter((file) => !existsSync(path.join(root, path.dirname(page), file)));
  expect(missing).toEqual([]);
});

it('the README lists every guide', () => {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8');
  const guides = pages.filter((page) => /^docs\/guides\/.*\.md$/.test(page));
  expect(guides.length).toBeGreaterThan(7);
  expect(guides.filter((guide) => !text.includes(`(${guide})`))).toEqual([]);
});

it('every setting is in the table of the README, with what it is unless set', () => {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8');
  for (const { flag, variable, fallback } of Object.values(settings)) {
    const row = text.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${variable}\``));
    expect(row, variable).toBeDefined();
    if (flag) expect(row).toContain(`\`${flag.split(' ')[0]}\``);
    if (fallback) expect(row).toContain(`\`${fallback}\``);
  }
});

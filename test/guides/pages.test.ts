/** Pages name only variables that the program knows (it refuses any other `PERENNIAL_…`), and link to what exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { settings } from '../../src/config/settings.ts';
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
const allPages = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder))
    .filter((name) => /\.(md|mjs)$/.test(name))
    .map((name) => path.join(folder, name)),
);
/** The list of changes names variables that there were. */
const pages = allPages.filter((page) => page !== 'CHANGELOG.md');

/** The text of a page without its blocks of code. */
const readProse = (page: string) =>
  readFileSync(path.join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');

/** The anchors of a page's headings, as GitHub makes them. */
const listAnchors = (page: string) =>
  [...readProse(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  );

it.each(pages)('%s names no unknown variable', (page) => {
  const named = readFileSync(path.join(root, page), 'utf8').match(/\bPERENNIAL_[A-Z_]+\b/g) ?? [];
  expect([...new Set(named)].filter(isUnknown)).toEqual([]);
});

it.each(allPages.filter((page) => page.endsWith('.md')))(
  '%s links to files and headings that exist',
  (page) => {
    const targets = [...readProse(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const missing = targets.filter((target) => {
      if (/^https?:/.test(target)) return false;
      const [file, anchor] = target.split('#');
      const linked = file ? path.join(path.dirname(page), file) : page;
      if (!existsSync(path.join(root, linked))) return true;
      return anchor !== undefined && !listAnchors(linked).includes(anchor);
    });
    expect(missing).toEqual([]);
  },
);

it.each(['docs/architecture.md', 'README.md', 'CONTRIBUTING.md'])('%s names code that exists', (page) => {
  const named = [
    ...readProse(page).matchAll(/`(?:src\/)?([a-z]\w*\/[\w/]+(?:\.graphql)?\.ts)`((?:\s`\w+`)*)/g),
  ];
  const linked = [...readProse(page).matchAll(/\]\(src\/([\w/]+\.ts)\)(?::((?:\s`\w+`)+))?/g)];
  const missing = [...named, ...linked].flatMap(([, file = '', names = '']) => {
    const source = ['src', '.']
      .map((folder) => path.join(root, folder, file))
      .find((each) => existsSync(each));
    if (source === undefined) return [file];
    const text = readFileSync(source, 'utf8');
    const functions = Array.from(names.matchAll(/\w+/g), ([name]) => name);
    return functions
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(text))
      .map((name) => `${file} ${name}`);
  });
  expect(named.length + linked.length).toBeGreaterThan(0);
  expect(missing).toEqual([]);
});

it('the README lists every guide', () => {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8');
  const guides = pages.filter((page) => /^docs\/guides\/.*\.md$/.test(page));
  expect(guides.length).toBeGreaterThan(7);
  expect(guides.filter((guide) => !text.includes(`(${guide})`))).toEqual([]);
});

it('every setting is in the table of its page, with its default', () => {
  const text = readFileSync(path.join(root, 'docs/operations/settings.md'), 'utf8');
  for (const { flag, variable, default: standard } of Object.values(settings)) {
    const row = text.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${variable}\``));
    expect(row, variable).toBeDefined();
    if (flag) expect(row).toContain(`\`${flag.split(' ')[0]}\``);
    if (standard) expect(row).toContain(`\`${standard}\``);
  }
});

/** What is pressed is large enough to be hit (WCAG 2.2 AA, 2.5.8). */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, root } from '../sourceFiles.ts';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const folders = filesIn('src/console')
  .filter((file) => read(file).includes('<details'))
  .map((file) => path.dirname(file));

it('some words of the console open something', () => {
  expect(folders.length).toBeGreaterThan(3);
});

it.each([...new Set(folders)])('%s has a rule for the height of what opens', (folder) => {
  const rules = readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.css'))
    .map((name) => read(`${folder}/${name}`));
  expect(rules.join('\n')).toMatch(/summary\s*\{[^}]*(min-block-size|padding|\/24px)/);
});

/** The contrast of the console's texts, in both themes (WCAG 2.2 AA). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getContrast } from '../../src/lib/contrast.ts';

const file = path.join(import.meta.dirname, '../../src/console/design/tokens.css');
const declared = readFileSync(file, 'utf8').matchAll(
  /--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g,
);
const colors = new Map(
  Array.from(declared, ([, name, light, dark]) => [name!, { light: light!, dark: dark! }]),
);

const pages = ['neutral-1', 'neutral-2', 'neutral-3'];
/** Also rows under the pointer, and the chosen place in the sidebar. */
const grounds = [...pages, 'neutral-4', 'neutral-5'];
const tones = ['neutral', 'good', 'waiting', 'late', 'bad'];

/** Each text with the backgrounds it appears on. */
const texts: [text: string, grounds: string[]][] = [
  ['neutral-10', [...pages, 'neutral-4']],
  ['neutral-11', grounds],
  ['neutral-12', grounds],
  ['accent', [...pages, 'neutral-4', 'accent-soft']],
  ['accent-strong', pages],
  ['on-accent', ['accent', 'accent-strong']],
  ['on-bad', ['tone-bad']],
  ['neutral-1', ['neutral-12']],
  ...tones.map((tone): [string, string[]] => [`tone-${tone}`, [`tone-${tone}-back`, ...pages]]),
];

const pairs = texts.flatMap(([text, backs]) => backs.map((back) => [text, back] as const));

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  const get = (name: string) => colors.get(name)![theme];

  it.each(pairs)('%s can be read on %s', (text, back) => {
    expect(getContrast(get(text), get(back))).toBeGreaterThanOrEqual(4.5);
  });

  // Borders of fields, and parts of charts, need 3:1.
  it.each(['neutral-8', 'neutral-9', 'chart-1', 'chart-3', 'chart-5'])(
    '%s can be seen on the page',
    (name) => {
      expect(getContrast(get(name), get('neutral-1'))).toBeGreaterThanOrEqual(3);
    },
  );
});

it('every colour has a value for each theme', () => {
  const page = readFileSync(file, 'utf8');
  const single = page.split('\n').filter((line) => /^ {2}--[\w-]+: #/.test(line));
  expect(single).toEqual([]);
  expect(colors.size).toBeGreaterThan(30);
});

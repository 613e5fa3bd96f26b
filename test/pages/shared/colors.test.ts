/** The colours of the customers' pages can be read in the light and in the dark (WCAG 2.2, 1.4.3 and 1.4.11). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccent } from '../../../src/pages/shared/colors.ts';
import { getContrast } from '../../../src/lib/contrast.ts';
import {
  dark,
  darkAccent,
  light,
  lightAccent,
  type Accent,
  type Palette,
} from '../../../src/pages/shared/tokens.ts';
import { sampledRuns } from '../../support/sample.ts';

it.each([
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#ffffff', 1],
  ['#767676', '#ffffff', 4.54],
  ['#777777', '#ffffff', 4.48],
])('%s on %s has a contrast of %d', (one, other, contrast) => {
  expect(getContrast(one, other)).toBeCloseTo(contrast, 2);
  expect(getContrast(other, one)).toBeCloseTo(contrast, 2);
});

type Name = keyof Palette | keyof Accent;

const pairs: [text: Name, backs: Name[], least: number][] = [
  ['text', ['page', 'card', 'raised'], 7],
  ['soft', ['page', 'card', 'raised'], 4.5],
  ['onAccent', ['accent'], 4.5],
  ['accentText', ['page', 'card', 'raised'], 4.5],
  ['badText', ['badBack', 'card', 'page'], 4.5],
  ['goodText', ['goodBack', 'card', 'page'], 4.5],
  ['waitText', ['waitBack', 'card', 'page'], 4.5],
  ['edge', ['page', 'card', 'raised'], 3],
];

describe.each([
  ['light', { ...light, ...lightAccent }],
  ['dark', { ...dark, ...darkAccent }],
])('in the %s', (_, colors) => {
  it.each(pairs)('%s is readable on %s', (text, backs, least) => {
    const tooWeak = backs.filter((back) => getContrast(colors[text], colors[back]) < least);
    expect(tooWeak).toEqual([]);
  });
});

describe('the accent of any colour', () => {
  const colors = fc
    .integer({ min: 0, max: 0xffffff })
    .map((value) => `#${value.toString(16).padStart(6, '0')}`);
  it('can be read in both themes', () => {
    fc.assert(
      fc.property(colors, fc.constantFrom(light, dark), (color, palette) => {
        const { accent, onAccent, accentText } = createAccent(color, palette);
        expect(getContrast(accent, onAccent)).toBeGreaterThanOrEqual(4.5);
        for (const back of [palette.page, palette.card, palette.raised])
          expect(getContrast(accentText, back)).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: sampledRuns(2000, 10) },
    );
  });

  it.each([
    ['#0b3d91', '#0b3d91', '#ffffff'],
    ['#ffdd00', '#ffdd00', '#14161a'],
    ['#000000', '#000000', '#ffffff'],
    ['#ffffff', '#ffffff', '#14161a'],
  ])('%s stays as it is where text on it can be read', (color, accent, onAccent) => {
    for (const palette of [light, dark])
      expect(createAccent(color, palette)).toMatchObject({ accent, onAccent });
  });

  it('is darkened as little as needed', () => {
    const { accent } = createAccent('#3b82f6', light);
    expect(getContrast(accent, '#ffffff')).toBeLessThan(4.7);
  });
});

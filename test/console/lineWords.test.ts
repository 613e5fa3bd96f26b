/** What lines charge in the languages of the console, from the descriptions of the server. */
import { expect, it } from 'vitest';
import { describePeriod } from '../../src/billing/pricing/invoiceLines.ts';
import { describeLine } from '../../src/console/billing/lineWords.ts';
import { texts } from '../../src/console/billing/texts.ts';
import { createFormat } from '../../src/console/texts/format.ts';

type Language = keyof typeof texts;

const write = (language: Language, description: string, kind = 'cycle') =>
  describeLine({ kind, description }, language, texts[language].lineParts, (value) =>
    createFormat(language, 'UTC').number(value),
  );

const describeCycle = (terms: object) =>
  describePeriod({ productName: 'Team, large', quantity: null, period: 1, ...terms } as never, 'CYCLE');

it.each([
  [
    { frequency: 'Monthly' },
    'Team, large, monatlich',
    'Team, large, chaque mois',
    '\u2068Team, large\u2069، هر ماه',
  ],
  [
    { frequency: 'Weekly', period: 2, quantity: 1200 },
    '1.200 × Team, large, alle 2 Wochen',
    '1\u202f200 × Team, large, toutes les 2 semaines',
    '۱٬۲۰۰ × \u2068Team, large\u2069، هر ۲ هفته',
  ],
  [
    { frequency: 'Daily' },
    'Team, large, täglich',
    'Team, large, chaque jour',
    '\u2068Team, large\u2069، هر روز',
  ],
  [
    { frequency: 'Yearly', period: 3 },
    'Team, large, alle 3 Jahre',
    'Team, large, tous les 3 ans',
    '\u2068Team, large\u2069، هر ۳ سال',
  ],
])('a period of %o', (terms, ...written) => {
  const description = describeCycle(terms);
  expect((['de', 'fr', 'fa'] as const).map((language) => write(language, description))).toEqual(written);
  expect(write('en', description)).toBe(description);
});

it.each([
  'set-up fee',
  'unused time',
  'remaining time',
  'usage',
  'minimum',
  'late usage',
  'usage so far',
  'commitment',
  'above the commitment',
])('the part: %s', (part) => {
  for (const language of ['de', 'fr', 'fa'] as const) {
    const written = write(language, `Pro, ${part}`, 'usage');
    expect(written).toBe(
      write(language, 'Pro, usage').replace(
        texts[language].lineParts.names['usage']!,
        texts[language].lineParts.names[part]!,
      ),
    );
    expect(written).toMatch(/^\u2068?Pro\u2069?[,،] \p{L}/u);
  }
  expect(write('de', `Pro, ${part}`)).not.toContain(`, ${part}`);
});

it('what somebody wrote stays as it is', () => {
  expect(write('de', 'Set-up, usage', 'item')).toBe('Set-up, usage');
  expect(write('de', 'Workshop, two days')).toBe('Workshop, two days');
  expect(write('de', 'Workshop')).toBe('Workshop');
});

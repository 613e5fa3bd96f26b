/** The tax of credit notes by lines: rounded once for each rate, and exactly the tax of the invoice in all. */
import { expect, it } from 'vitest';
import {
  creditPriced,
  findCreditable,
  sumNote,
  sumNoteTaxes,
} from '../../../src/billing/pricing/creditNotes.ts';
import { applyTax, computeGross } from '../../../src/billing/pricing/tax.ts';
import type { CreditNoteLine } from '../../../src/storage/model/common.ts';

const terms = (percent: string) => ({ category: 'S' as const, percent });

/** Bills amounts at rates, and credits them in steps, each of a part of each line as it is priced. */
function creditInSteps(lines: [amount: number, percent: string][], steps: number[][]) {
  const billed = applyTax(
    lines.map(([amount, percent], nth) => ({
      id: `line_${nth}`,
      description: 'Work',
      amountMinor: BigInt(amount),
      taxTerms: terms(percent),
    })),
    undefined,
  );
  const invoice = billed.lines.map(({ id, description, amountMinor, ...line }) => {
    const { tax = null } = line as { tax?: Parameters<typeof findCreditable>[0]['tax'] };
    return { id, description, amountMinor, tax };
  });
  const earlier: CreditNoteLine[] = [];
  const notes = steps.map((amounts) => {
    const parts = invoice.flatMap((line, nth) => {
      const givenBackMinor = sumNote(earlier.filter(({ lineId }) => lineId === line.id));
      const amountMinor = BigInt(amounts[nth]!);
      return amountMinor > 0n
        ? [{ line: findCreditable({ ...line, givenBackMinor }, earlier), amountMinor }]
        : [];
    });
    const note = creditPriced(parts);
    earlier.push(...note);
    return (sumNoteTaxes(note) ?? []).map(({ taxableMinor, taxMinor }) => `${taxMinor} of ${taxableMinor}`);
  });
  const totalMinor = invoice.reduce((sum, line) => sum + computeGross(line), 0n);
  return { notes, leftMinor: totalMinor - sumNote(earlier) };
}

const repeat = <T>(value: T): T[] => Array.from({ length: 10 }, () => value);

it.each<[string, [number, string][], number[][], string[][]]>([
  ['many small parts', repeat([13, '19']), [repeat(12), repeat(1)], [['23 of 120'], ['2 of 10']]],
  [
    'two rates',
    [...repeat<[number, string]>([13, '19']), [1000, '7']],
    [
      [...repeat(12), 333],
      [...repeat(1), 667],
    ],
    [
      ['23 of 120', '23 of 333'],
      ['2 of 10', '47 of 667'],
    ],
  ],
  [
    'a whole line beside a part',
    [
      [20000, '25'],
      [99, '25'],
    ],
    [
      [20000, 33],
      [0, 66],
    ],
    [['5008 of 20033'], ['17 of 66']],
  ],
])('%s', (_name, lines, steps, expected) => {
  expect(creditInSteps(lines, steps)).toEqual({ notes: expected, leftMinor: 0n });
});

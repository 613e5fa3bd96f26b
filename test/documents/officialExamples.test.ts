/**
 * The examples of ConnectingEurope/eInvoicing-EN16931 (ubl/examples): our documents have their figures. Allowances and
 * charges of a whole document are lines here, and where an example has many lines of a category they are one.
 */
import { expect, it } from 'vitest';
import { renderCii } from '../../src/documents/cii.ts';
import { renderUbl } from '../../src/documents/ubl.ts';
import type { TaxCategory } from '../../src/storage/model/common.ts';
import { readTerms } from './businessTerms.ts';
import { asCreditNote, buildRecord } from './eInvoiceRecords.ts';
import { listBroken } from './rules.ts';

interface Example {
  currency: string;
  /** Category, rate, and net amounts of lines. */
  lines: [category: TaxCategory, percent: string, amounts: string][];
  prepaid?: string;
  totals: [taxExclusive: string, tax: string, taxInclusive: string, payable: string];
  breakdown: [category: string, percent: string | null, taxable: string, tax: string][];
}

const danish: Omit<Example, 'totals' | 'prepaid'> = {
  currency: 'dkk',
  lines: [
    ['S', '25', '1000.00 500.00'],
    ['S', '12', '2500.00'],
  ],
  breakdown: [
    ['S', '25', '1500.00', '375.00'],
    ['S', '12', '2500.00', '300.00'],
  ],
};

const examples: Record<string, Example> = {
  'ubl-tc434-example1': {
    currency: 'eur',
    lines: [
      [
        'S',
        '6',
        '19.90 9.85 8.29 14.46 35.00 35.00 10.65 1.55 14.37 8.29 16.58 9.95 3.30 3.90 102.12 -109.98',
      ],
      ['S', '21', '10.80 7.60 9.34 18.63'],
    ],
    totals: ['229.60', '20.73', '250.33', '250.33'],
    breakdown: [
      ['S', '6', '183.23', '10.99'],
      ['S', '21', '46.37', '9.74'],
    ],
  },
  'ubl-tc434-example2': {
    currency: 'nok',
    lines: [
      ['S', '25', '1460.50'],
      ['S', '15', '1.00'],
      ['E', '0', '-25.00'],
    ],
    prepaid: '1000.00',
    totals: ['1436.50', '365.28', '1801.78', '801.78'],
    breakdown: [
      ['S', '25', '1460.50', '365.13'],
      ['S', '15', '1.00', '0.15'],
      ['E', '0', '-25.00', '0.00'],
    ],
  },
  'ubl-tc434-example3': {
    currency: 'dkk',
    lines: [
      ['S', '25', '800.00 100.00'],
      ['S', '10', '800.00'],
    ],
    totals: ['1700.00', '305.00', '2005.00', '2005.00'],
    breakdown: [
      ['S', '25', '900.00', '225.00'],
      ['S', '10', '800.00', '80.00'],
    ],
  },
  'ubl-tc434-example4': { ...danish, totals: ['4000.00', '675.00', '4675.00', '4675.00'] },
  'ubl-tc434-example5': {
    ...danish,
    prepaid: '2337.50',
    totals: ['4000.00', '675.00', '4675.00', '2337.50'],
  },
  'ubl-tc434-example7': {
    currency: 'sek',
    lines: [['O', '0', '3200.00']],
    totals: ['3200.00', '0.00', '3200.00', '3200.00'],
    breakdown: [['O', null, '3200.00', '0.00']],
  },
  'ubl-tc434-example8': {
    currency: 'eur',
    lines: [['S', '21', '140.80 16.16 167.64 88.74 36.75 56.50 83.34 190.31 64.21 64.46']],
    totals: ['908.91', '190.87', '1099.78', '1099.78'],
    breakdown: [['S', '21', '908.91', '190.87']],
  },
  'ubl-tc434-example9': {
    currency: 'eur',
    lines: [['S', '21', '147.00']],
    totals: ['147.00', '30.87', '177.87', '177.87'],
    breakdown: [['S', '21', '147.00', '30.87']],
  },
  'ubl-tc434-creditnote1': {
    currency: 'eur',
    lines: [['E', '0', '100.11']],
    totals: ['100.11', '0.00', '100.11', '100.11'],
    breakdown: [['E', '0', '100.11', '0.00']],
  },
  'guide-example3': {
    currency: 'dkk',
    lines: [['S', '25', '800.00 100.00']],
    totals: ['900.00', '225.00', '1125.00', '1125.00'],
    breakdown: [['S', '25', '900.00', '225.00']],
  },
};

const toMinor = (amount: string) => BigInt(amount.replace('.', ''));

it.each(Object.entries(examples))('%s', (name, { currency, lines, prepaid, totals, breakdown }) => {
  const billed = lines.flatMap(([category, percent, amounts]) =>
    amounts
      .split(' ')
      .map((amount) => ({ amountMinor: toMinor(amount), terms: { category, percent }, unitPrice: amount })),
  );
  const record = buildRecord(billed, {
    currency,
    balanceMinor: toMinor(prepaid ?? '0.00'),
    change: name.includes('creditnote') ? asCreditNote : {},
  });
  for (const render of [renderUbl, renderCii]) {
    const invoice = readTerms(render(record));
    const shown = (['BT-109', 'BT-110', 'BT-112', 'BT-115'] as const).map((term) => invoice.get(term));
    expect(shown).toEqual(totals);
    expect(invoice.get('BT-113')).toBe(prepaid ?? null);
    const groups = invoice
      .group('BG-23')
      .map((group) => (['BT-118', 'BT-119', 'BT-116', 'BT-117'] as const).map((term) => group.get(term)));
    expect(groups).toEqual(breakdown);
    expect(listBroken(invoice)).toEqual([]);
  }
});

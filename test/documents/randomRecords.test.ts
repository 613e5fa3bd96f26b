/** Random records hold the rules of EN 16931 in both syntaxes, with prices and texts that are hard to write. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderCii } from '../../src/documents/cii.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { renderUbl } from '../../src/documents/ubl.ts';
import type { TaxTerms } from '../../src/storage/model/common.ts';
import { sampledRuns } from '../support/sample.ts';
import { readTerms } from './businessTerms.ts';
import { asCreditNote, buildRecord, standard, type BilledLine } from './eInvoiceRecords.ts';
import { listBroken, read } from './rules.ts';
import { listMisplaced } from './sequences.ts';
import { readXml } from './xmlTree.ts';

const currencies = [
  { currency: 'eur', currencyDecimals: 2 },
  { currency: 'jpy', currencyDecimals: 0 },
  { currency: 'kwd', currencyDecimals: 3 },
];

const termsOfLines: (TaxTerms | null)[] = [
  standard('19'),
  standard('7.00'),
  standard('5.5'),
  standard('0'),
  { category: 'Z', percent: '0', reason: 'zero_rated' },
  { category: 'E', percent: '0', reason: 'exempt' },
  { category: 'E', percent: '0', reason: 'exempt_customer' },
  { category: 'E', percent: '0', reason: 'exempt_seller' },
  { category: 'AE', percent: '0', reason: 'reverse_charge' },
  { category: 'K', percent: '0', reason: 'intra_community' },
  { category: 'G', percent: '0', reason: 'export' },
  { category: 'O', percent: '0', reason: 'outside_scope' },
  null,
];

const hostileTexts = [
  ']]>',
  '<b>&amp;</b> "x" \'y\'',
  '&#0; &#x1F; %00',
  'a\u0000b\u0008c\u001fd\u007f',
  'lone \ud800 surrogates \udfff',
  '\ufffe\uffff',
  '👩‍👩‍👧 🇩🇪 \u{10ffff}',
  '\u202eخریدار\u202c',
  'line\r\nbreak\rand\ttab\u0085\u2028',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y "z">]>&y;',
  '#AAK#',
  'x'.repeat(10_000),
];
const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 40 }));
/** Text that is not blank after cleaning. */
const name = text.map((each) => `n${each}`);

const line = fc.record({
  quantity: fc.integer({ min: 1, max: 500 }),
  unitMinor: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  /** Further decimals of the price, which make the listed price inexact. */
  finer: fc.constantFrom('', '3', '005'),
  discounts: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 2 }),
  isCredit: fc.boolean(),
  terms: fc.constantFrom(...termsOfLines),
  description: name,
  details: fc.array(text, { maxLength: 2 }),
});

type RandomLine = typeof line extends fc.Arbitrary<infer T> ? T : never;

/** A line as it is billed: the price in major units, percentages of discount in minor units. */
function bill(random: RandomLine, decimals: number, mayCredit: boolean): BilledLine {
  const { quantity, unitMinor, finer, terms, description, details } = random;
  const sign = random.isCredit && mayCredit ? -1n : 1n;
  const listMinor = sign * BigInt(quantity) * unitMinor;
  const discountsMinor = random.discounts.map((percent) => (listMinor * BigInt(percent)) / 100n);
  const digits = String(unitMinor).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = `${digits.slice(digits.length - decimals)}${finer}`;
  return {
    amountMinor: discountsMinor.reduce((net, discount) => net - discount, listMinor),
    terms,
    description,
    details,
    discountsMinor,
    quantity: String(quantity),
    unitPrice: `${sign < 0n ? '-' : ''}${whole}${fraction && '.'}${fraction}`,
  };
}

const record = fc
  .record({
    currency: fc.constantFrom(...currencies),
    lines: fc.array(line, { minLength: 1, maxLength: 12 }),
    pricesIncludeTax: fc.boolean(),
    isCreditNote: fc.boolean(),
    sameTerms: fc.boolean(),
    balanceMinor: fc.bigInt({ min: 0n, max: 500n }),
    texts: fc.record({ legalName: name, buyer: name, note: text, footer: text, city: text, number: name }),
  })
  .map(({ currency, lines, pricesIncludeTax, isCreditNote, sameTerms, balanceMinor, texts }) => {
    const billed = lines
      .map((each) => (sameTerms ? { ...each, terms: lines[0]!.terms } : each))
      .map((each) => bill(each, currency.currencyDecimals, !isCreditNote));
    const usual = buildRecord(billed, { ...currency, pricesIncludeTax, balanceMinor });
    const change: Partial<DocumentRecord> = {
      ...(isCreditNote && asCreditNote),
      number: texts.number,
      note: texts.note,
      seller: { ...usual.seller, legalName: texts.legalName, footer: texts.footer },
      buyer: {
        ...usual.buyer,
        companyName: texts.buyer,
        address: { ...usual.buyer.address!, city: texts.city },
      },
    };
    return { ...usual, ...change };
  });

/** The text that a reader of the XML gets: without forbidden characters, with one kind of line break, trimmed. */
const expectedText = (each: string) =>
  Array.from(each.replaceAll(/\r\n?/g, '\n'))
    .filter((character) => {
      const point = character.codePointAt(0)!;
      if (point < 0x20) return character === '\t' || character === '\n';
      return !(point >= 0xd800 && point <= 0xdfff) && point !== 0xfffe && point !== 0xffff;
    })
    .join('')
    .trim();

it.each([
  ['UBL', renderUbl],
  ['CII', renderCii],
] as const)('%s of random records', (_, render) => {
  fc.assert(
    fc.property(record, (each) => {
      const xml = render(each);
      const invoice = readTerms(xml);
      expect(listBroken(invoice, each.currencyDecimals)).toEqual([]);
      expect(listMisplaced(readXml(xml))).toEqual([]);
      expect(Buffer.from(xml, 'utf8').toString('utf8')).toBe(xml);
      expect(invoice.get('BT-27')).toBe(expectedText(each.seller.legalName));
      expect(invoice.get('BT-44')).toBe(expectedText(each.buyer.companyName!));
      expect(invoice.group('BG-25').map((shown) => shown.get('BT-153'))).toEqual(
        each.lines.map(({ description }) => expectedText(description)),
      );
    }),
    { numRuns: sampledRuns(100, 4) },
  );
});

it('tax on top of prices is the base times the rate, rounded half up, without tolerance', () => {
  const exclusive = fc.array(line, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(exclusive, fc.constantFrom(...currencies), (lines, currency) => {
      const billed = lines.map((each) => bill(each, currency.currencyDecimals, true));
      const groups = readTerms(renderUbl(buildRecord(billed, currency))).group('BG-23');
      const minor = 10n ** BigInt(24 - currency.currencyDecimals);
      for (const group of groups) {
        const exact = read(group.get('BT-116')) * read(group.get('BT-119') ?? '0');
        const [size, unit] = [exact < 0n ? -exact : exact, minor * 100n * 10n ** 24n];
        const rounded = ((2n * size + unit) / (2n * unit)) * minor;
        expect(read(group.get('BT-117'))).toBe(exact < 0n ? -rounded : rounded);
      }
    }),
    { numRuns: sampledRuns(100, 4) },
  );
});

it('a document of many lines', () => {
  const length = sampledRuns(500, 4);
  const billed = Array.from({ length }, (_, nth) => ({
    amountMinor: BigInt(nth * 37),
    terms: termsOfLines[nth % 3]!,
    description: `Line ${nth}`,
  }));
  const long = buildRecord(billed, { pricesIncludeTax: true });
  for (const render of [renderUbl, renderCii]) {
    const invoice = readTerms(render(long));
    expect(invoice.group('BG-25')).toHaveLength(length);
    expect(listBroken(invoice)).toEqual([]);
  }
});

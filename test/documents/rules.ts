/**
 * Business rules of EN 16931, each a check of one document in either syntax. They are computed from the text of the XML,
 * with whole numbers, without code of the program.
 */
import type { Term, Terms } from './businessTerms.ts';

/** Decimals with this many digits after the point. */
const SCALE = 24;

/** Reads a decimal as a whole number of 10^-24; 0 for other text, which rules of presence refuse. */
export function read(text: string | null): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,24}))?$/.exec(text ?? '');
  if (!match) return 0n;
  const digits = BigInt(match[2]! + (match[3] ?? '').padEnd(SCALE, '0'));
  return match[1] ? -digits : digits;
}

const one = 10n ** BigInt(SCALE);
const absolute = (value: bigint) => (value < 0n ? -value : value);
const sum = (groups: Terms[], term: Term) =>
  groups.reduce((total, group) => total + read(group.get(term) ?? '0'), 0n);
const isDecimal = (text: string | null) => /^-?\d+(\.\d+)?$/.test(text ?? '');
const isPresent = (terms: Terms, term: Term) => terms.get(term) !== null;
const decimalsIn = (text: string | null) => (text ?? '').split('.')[1]?.length ?? 0;

/** A rule returns whether the document holds it. `decimals` are those of its currency. */
export type Rule = (invoice: Terms, decimals: number) => boolean;

/** Half a minor unit: the largest difference that rounding leaves. */
const halfMinor = (decimals: number) => one / 10n ** BigInt(decimals) / 2n;

const breakdown = (invoice: Terms) => invoice.group('BG-23');
const lines = (invoice: Terms) => invoice.group('BG-25');
const every =
  (name: 'BG-23' | 'BG-25', holds: (group: Terms) => boolean): Rule =>
  (invoice) =>
    invoice.group(name).every(holds);
const requires =
  (...terms: Term[]): Rule =>
  (invoice) =>
    terms.every((term) => isPresent(invoice, term));
const adjustments = (invoice: Terms) =>
  lines(invoice).flatMap((line) => [...line.group('BG-27'), ...line.group('BG-28')]);

/** The category's lines. */
const linesOf = (invoice: Terms, category: string) =>
  lines(invoice).filter((line) => line.get('BT-151') === category);
const groupsOf = (invoice: Terms, category: string) =>
  breakdown(invoice).filter((group) => group.get('BT-118') === category);

const hasSellerTaxId = (invoice: Terms) => isPresent(invoice, 'BT-31') || isPresent(invoice, 'BT-32');
const vatPrefix = /^(?:[A-Z]{2})/;
const country = /^[A-Z]{2}$/;

/** Rules that categories without tax share: 1 group, 0 %, no tax, a reason; the base is the sum of the lines. */
const untaxed = (family: string, category: string): Record<string, Rule> => ({
  [`BR-${family}-01`]: (invoice) =>
    groupsOf(invoice, category).length === (linesOf(invoice, category).length > 0 ? 1 : 0),
  [`BR-${family}-05`]: (invoice) =>
    linesOf(invoice, category).every((line) =>
      category === 'O' ? !isPresent(line, 'BT-152') : read(line.get('BT-152')) === 0n,
    ),
  [`BR-${family}-08`]: (invoice) =>
    groupsOf(invoice, category).every(
      (group) => read(group.get('BT-116')) === sum(linesOf(invoice, category), 'BT-131'),
    ),
  [`BR-${family}-09`]: (invoice) =>
    groupsOf(invoice, category).every((group) => read(group.get('BT-117')) === 0n),
  [`BR-${family}-10`]: (invoice) =>
    groupsOf(invoice, category).every(
      (group) => (category === 'Z') !== (isPresent(group, 'BT-120') || isPresent(group, 'BT-121')),
    ),
});

const maximumDecimals =
  (list: (invoice: Terms) => (string | null)[]): Rule =>
  (invoice, decimals) =>
    list(invoice).every((text) => decimalsIn(text) <= decimals);

const periodHolds = (from: string | null, to: string | null) => from === null || to === null || to >= from;

/** By the numbers of the standard. */
export const rules: Record<string, Rule> = {
  'BR-01': (invoice) => invoice.get('BT-24') === 'urn:cen.eu:en16931:2017',
  'BR-02': requires('BT-1'),
  'BR-03': requires('BT-2'),
  'BR-04': (invoice) => ['380', '381'].includes(invoice.get('BT-3') ?? ''),
  'BR-05': (invoice) => /^[A-Z]{3}$/.test(invoice.get('BT-5') ?? ''),
  'BR-06': requires('BT-27'),
  'BR-07': requires('BT-44'),
  'BR-09': (invoice) => country.test(invoice.get('BT-40') ?? ''),
  'BR-11': (invoice) => country.test(invoice.get('BT-55') ?? ''),
  'BR-12': requires('BT-106'),
  'BR-13': requires('BT-109'),
  'BR-14': requires('BT-112'),
  'BR-15': requires('BT-115'),
  'BR-16': (invoice) => lines(invoice).length > 0,
  'BR-21': every('BG-25', (line) => isPresent(line, 'BT-126')),
  'BR-22': every('BG-25', (line) => isDecimal(line.get('BT-129'))),
  'BR-23': every('BG-25', (line) => isPresent(line, 'BT-130')),
  'BR-24': every('BG-25', (line) => isDecimal(line.get('BT-131'))),
  'BR-25': every('BG-25', (line) => isPresent(line, 'BT-153')),
  'BR-26': every('BG-25', (line) => isDecimal(line.get('BT-146'))),
  'BR-27': every('BG-25', (line) => !line.get('BT-146')?.startsWith('-')),
  'BR-29': (invoice) => periodHolds(invoice.get('BT-73'), invoice.get('BT-74')),
  'BR-30': every('BG-25', (line) => periodHolds(line.get('BT-134'), line.get('BT-135'))),
  'BR-41': (invoice) => adjustments(invoice).every((each) => isDecimal(each.get('BT-136'))),
  'BR-42': (invoice) =>
    adjustments(invoice).every((each) => isPresent(each, 'BT-139') || isPresent(each, 'BT-140')),
  'BR-45': every('BG-23', (group) => isDecimal(group.get('BT-116'))),
  'BR-46': every('BG-23', (group) => isDecimal(group.get('BT-117'))),
  'BR-47': every('BG-23', (group) => isPresent(group, 'BT-118')),
  'BR-48': every('BG-23', (group) => isPresent(group, 'BT-119') || group.get('BT-118') === 'O'),
  'BR-49': requires('BT-81'),
  'BR-55': (invoice) => isPresent(invoice, 'BT-25') || !isPresent(invoice, 'BT-26'),
  'BR-61': (invoice) => isPresent(invoice, 'BT-84') || !['30', '58'].includes(invoice.get('BT-81') ?? ''),
  'BR-63': (invoice) => isPresent(invoice, 'BT-49-1') || !isPresent(invoice, 'BT-49'),
  'BR-CO-04': every('BG-25', (line) => isPresent(line, 'BT-151')),
  'BR-CO-09': (invoice) =>
    [...invoice.list('BT-31'), ...invoice.list('BT-48')].every((vatId) => vatPrefix.test(vatId)),
  'BR-CO-10': (invoice) => read(invoice.get('BT-106')) === sum(lines(invoice), 'BT-131'),
  // No document has allowances or charges of its own: discounts are on lines.
  'BR-CO-11': (invoice) => !isPresent(invoice, 'BT-107'),
  'BR-CO-12': (invoice) => !isPresent(invoice, 'BT-108'),
  'BR-CO-13': (invoice) => read(invoice.get('BT-109')) === read(invoice.get('BT-106')),
  'BR-CO-14': (invoice) => read(invoice.get('BT-110')) === sum(breakdown(invoice), 'BT-117'),
  'BR-CO-15': (invoice) =>
    read(invoice.get('BT-112')) === read(invoice.get('BT-109')) + read(invoice.get('BT-110')),
  'BR-CO-16': (invoice) =>
    read(invoice.get('BT-115')) === read(invoice.get('BT-112')) - read(invoice.get('BT-113') ?? '0'),
  // Within one minor unit: prices with tax round the tax of the total, not that of the base.
  'BR-CO-17': (invoice, decimals) =>
    breakdown(invoice).every((group) => {
      const exact = read(group.get('BT-116')) * read(group.get('BT-119') ?? '0');
      return absolute(read(group.get('BT-117')) * 100n * one - exact) < 2n * halfMinor(decimals) * 100n * one;
    }),
  'BR-CO-18': (invoice) => breakdown(invoice).length > 0,
  'BR-CO-25': (invoice) =>
    read(invoice.get('BT-115')) <= 0n || isPresent(invoice, 'BT-9') || isPresent(invoice, 'BT-20'),
  'BR-CO-26': (invoice) => (['BT-29', 'BT-30', 'BT-31'] as const).some((term) => isPresent(invoice, term)),
  'BR-S-01': (invoice) => groupsOf(invoice, 'S').length > 0 === linesOf(invoice, 'S').length > 0,
  'BR-S-02': (invoice) => linesOf(invoice, 'S').length === 0 || hasSellerTaxId(invoice),
  'BR-S-05': (invoice) => linesOf(invoice, 'S').every((line) => read(line.get('BT-152')) > 0n),
  'BR-S-08': (invoice) =>
    groupsOf(invoice, 'S').every((group) => {
      const atRate = linesOf(invoice, 'S').filter(
        (line) => read(line.get('BT-152')) === read(group.get('BT-119')),
      );
      return read(group.get('BT-116')) === sum(atRate, 'BT-131');
    }),
  'BR-S-09': (invoice, decimals) => rules['BR-CO-17']!(invoice, decimals),
  'BR-S-10': (invoice) =>
    groupsOf(invoice, 'S').every((group) => !isPresent(group, 'BT-120') && !isPresent(group, 'BT-121')),
  ...untaxed('Z', 'Z'),
  'BR-Z-02': (invoice) => linesOf(invoice, 'Z').length === 0 || hasSellerTaxId(invoice),
  ...untaxed('E', 'E'),
  'BR-E-02': (invoice) => linesOf(invoice, 'E').length === 0 || hasSellerTaxId(invoice),
  ...untaxed('AE', 'AE'),
  'BR-AE-02': (invoice) =>
    linesOf(invoice, 'AE').length === 0 ||
    (hasSellerTaxId(invoice) && (isPresent(invoice, 'BT-48') || isPresent(invoice, 'BT-47'))),
  ...untaxed('IC', 'K'),
  'BR-IC-02': (invoice) => linesOf(invoice, 'K').length === 0 || requires('BT-31', 'BT-48')(invoice, 2),
  'BR-IC-11': (invoice) =>
    groupsOf(invoice, 'K').length === 0 || isPresent(invoice, 'BT-72') || isPresent(invoice, 'BT-73'),
  'BR-IC-12': (invoice) => groupsOf(invoice, 'K').length === 0 || isPresent(invoice, 'BT-80'),
  ...untaxed('G', 'G'),
  'BR-G-02': (invoice) => linesOf(invoice, 'G').length === 0 || isPresent(invoice, 'BT-31'),
  ...untaxed('O', 'O'),
  'BR-O-02': (invoice) =>
    linesOf(invoice, 'O').length === 0 || (!isPresent(invoice, 'BT-31') && !isPresent(invoice, 'BT-48')),
  'BR-O-11': (invoice) => groupsOf(invoice, 'O').length === 0 || breakdown(invoice).length === 1,
  'BR-O-12': (invoice) =>
    groupsOf(invoice, 'O').length === 0 || linesOf(invoice, 'O').length === lines(invoice).length,
  'BR-DEC-09': maximumDecimals((invoice) => [invoice.get('BT-106')]),
  'BR-DEC-12': maximumDecimals((invoice) => [invoice.get('BT-109')]),
  'BR-DEC-13': maximumDecimals((invoice) => [invoice.get('BT-110')]),
  'BR-DEC-14': maximumDecimals((invoice) => [invoice.get('BT-112')]),
  'BR-DEC-16': maximumDecimals((invoice) => [invoice.get('BT-113')]),
  'BR-DEC-18': maximumDecimals((invoice) => [invoice.get('BT-115')]),
  'BR-DEC-19': maximumDecimals((invoice) => breakdown(invoice).map((group) => group.get('BT-116'))),
  'BR-DEC-20': maximumDecimals((invoice) => breakdown(invoice).map((group) => group.get('BT-117'))),
  'BR-DEC-23': maximumDecimals((invoice) => lines(invoice).map((line) => line.get('BT-131'))),
  'BR-DEC-24': maximumDecimals((invoice) => adjustments(invoice).map((each) => each.get('BT-136'))),
  // The definition of BT-131, which EN 16931 leaves without a number.
  'BT-131': (invoice, decimals) =>
    lines(invoice).every((line) => {
      const priced = (read(line.get('BT-129')) * read(line.get('BT-146'))) / one;
      const expected = priced - sum(line.group('BG-27'), 'BT-136') + sum(line.group('BG-28'), 'BT-136');
      return absolute(read(line.get('BT-131')) - expected) <= halfMinor(decimals);
    }),
};

/** Returns the rules that a document breaks. */
export const listBroken = (invoice: Terms, decimals = 2): string[] =>
  Object.entries(rules).flatMap(([id, holds]) => (holds(invoice, decimals) ? [] : [id]));

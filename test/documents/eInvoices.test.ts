/** UBL and CII documents hold the rules of EN 16931, and each rule refuses a document that breaks it. */
import { describe, expect, it } from 'vitest';
import { renderCii } from '../../src/documents/cii.ts';
import { renderJson } from '../../src/documents/json.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { renderUbl } from '../../src/documents/ubl.ts';
import type { TaxTerms } from '../../src/storage/model/common.ts';
import { mutate, readTerms, type Term, type Terms } from './businessTerms.ts';
import { asCreditNote, buildRecord, reverseCharge, seller, standard } from './eInvoiceRecords.ts';
import { listBroken, rules } from './rules.ts';
import { listMisplaced } from './sequences.ts';
import { readXml, writeXml } from './xmlTree.ts';

const syntaxes = [
  ['UBL', renderUbl],
  ['CII', renderCii],
] as const;

const terms = (category: TaxTerms['category'], reason?: TaxTerms['reason']): TaxTerms =>
  reason ? { category, percent: '0', reason } : { category, percent: '0' };

const usual = buildRecord(
  [
    { amountMinor: 9000n, terms: standard('19'), quantity: '4', unitPrice: '25', discountsMinor: [1000n] },
    { amountMinor: 700n, terms: standard('7.0') },
    { amountMinor: -500n, terms: standard('7'), quantity: '2', unitPrice: '-2.5' },
  ],
  { balanceMinor: 100n },
);
const creditNote = buildRecord([{ amountMinor: 4000n, terms: standard('19'), details: ['Unused seats'] }], {
  change: { ...asCreditNote, note: 'Two seats were removed' },
});
const french = {
  kind: 'small_business' as const,
  reference: 'art. 293 B du CGI',
  text: 'TVA non applicable, art. 293 B du CGI',
  code: 'VATEX-FR-FRANCHISE',
};
const one = (tax: TaxTerms | null, change: Partial<DocumentRecord> = {}) =>
  buildRecord([{ amountMinor: 10_000n, terms: tax, period: null }], { change });

const records: Record<string, DocumentRecord> = {
  usual,
  'a credit note': creditNote,
  'prices with tax': buildRecord(
    [
      { amountMinor: 999n, terms: standard('20'), quantity: '3', unitPrice: '3.33' },
      { amountMinor: 299n, terms: standard('4'), discountsMinor: [50n] },
    ],
    { pricesIncludeTax: true },
  ),
  'zero rated': one(terms('Z')),
  'a standard rate of 0': buildRecord([
    { amountMinor: 100n, terms: standard('0.00') },
    { amountMinor: 200n, terms: terms('Z') },
  ]),
  exempt: one(terms('E', 'exempt_customer')),
  'a small business': one(terms('E', 'exempt_seller'), { seller: { ...seller, taxExemption: french } }),
  'reverse charge': one(reverseCharge),
  'intra-Community': one(terms('K', 'intra_community'), { period: null }),
  export: one(terms('G', 'export')),
  'outside the scope': one(terms('O', 'outside_scope')),
  untaxed: one(null),
  'untaxed beside taxed': buildRecord([
    { amountMinor: 100n, terms: null },
    { amountMinor: 200n, terms: standard('19') },
    { amountMinor: 300n, terms: terms('O', 'outside_scope') },
  ]),
  'two reasons of one category': buildRecord([
    { amountMinor: 100n, terms: terms('E', 'exempt') },
    { amountMinor: 200n, terms: terms('E', 'exempt_customer') },
  ]),
};

describe.each(syntaxes)('%s', (_, render) => {
  it.each(Object.entries(records))('holds all rules: %s', (_name, record) => {
    const xml = render(record);
    expect(listBroken(readTerms(xml))).toEqual([]);
    expect(listMisplaced(readXml(xml))).toEqual([]);
  });

  it('gives the same bytes for the same record', () => {
    expect(render(structuredClone(usual))).toBe(render(usual));
  });

  it('writes a document without a seller', () => {
    const bare = one(null, {
      seller: { ...seller, legalName: '', address: null, taxIds: [], registration: null, footer: null },
    });
    expect(listBroken(readTerms(render(bare)))).toEqual(['BR-06', 'BR-09', 'BR-CO-26']);
    expect(listMisplaced(readXml(render(bare)))).toEqual([]);
  });

  it('identifies a seller who has a tax number alone by it', () => {
    const taxIds = [{ type: 'other' as const, value: '30/123/45678' }];
    const small = one(null, { seller: { ...seller, taxIds, registration: null } });
    expect(listBroken(readTerms(render(small)))).toEqual([]);
    expect(listMisplaced(readXml(render(small)))).toEqual([]);
    expect(render(small).match(/30\/123\/45678/g)).toHaveLength(2);
    const registered = one(null, { seller: { ...seller, taxIds } });
    expect(render(registered).match(/30\/123\/45678/g)).toHaveLength(1);
  });

  it('refuses elements in another order, unknown and empty ones', () => {
    const root = readXml(render(usual));
    const first = root.children[0]!;
    root.children = [...root.children.slice(1), first];
    expect(listMisplaced(root)).toEqual([`${root.name}/${first.name}`]);
    root.children = [{ name: 'x', attributes: {}, text: '1', children: [] }, first];
    expect(listMisplaced(root)).toContain(`${root.name}/x`);
    first.children = [];
    first.text = ' ';
    expect(listMisplaced(root)).toContain(`${first.name} is empty`);
  });
});

/** A change of the first group, or of a line with a discount. */
const inGroup =
  (group: 'BG-23' | 'BG-25', ...changes: [Term, string | null][]) =>
  (invoice: Terms) =>
    changes.forEach(([term, value]) => invoice.group(group)[0]!.set(term, value));
const inDiscount =
  (...changes: [Term, string | null][]) =>
  (invoice: Terms) =>
    changes.forEach(([term, value]) => invoice.group('BG-25')[0]!.group('BG-27')[0]!.set(term, value));
const set =
  (...changes: [Term, string | null][]) =>
  (invoice: Terms) =>
    changes.forEach(([term, value]) => invoice.set(term, value));

/** The examples of a category that is not taxed. */
const untaxedExamples = (
  family: string,
  name: string,
): [rule: string, record: string, change: (invoice: Terms) => void][] => [
  [`BR-${family}-01`, name, inGroup('BG-23', ['BT-118', 'S'])],
  [`BR-${family}-05`, name, inGroup('BG-25', ['BT-152', '19'])],
  [`BR-${family}-08`, name, inGroup('BG-23', ['BT-116', '99.99'])],
  [`BR-${family}-09`, name, inGroup('BG-23', ['BT-117', '0.01'])],
  [
    `BR-${family}-10`,
    name,
    family === 'Z'
      ? inGroup('BG-23', ['BT-120', 'Zero rated'])
      : inGroup('BG-23', ['BT-120', null], ['BT-121', null]),
  ],
];

const examples: [rule: string, record: string, change: (invoice: Terms) => void][] = [
  ['BR-01', 'usual', set(['BT-24', 'urn:cen.eu:en16931:2011'])],
  ['BR-02', 'usual', set(['BT-1', null])],
  ['BR-03', 'usual', set(['BT-2', null])],
  ['BR-04', 'usual', set(['BT-3', '999'])],
  ['BR-05', 'usual', set(['BT-5', 'eur'])],
  ['BR-06', 'usual', set(['BT-27', ' '])],
  ['BR-07', 'usual', set(['BT-44', null])],
  ['BR-09', 'usual', set(['BT-40', 'Germany'])],
  ['BR-11', 'usual', set(['BT-55', null])],
  ['BR-12', 'usual', set(['BT-106', null])],
  ['BR-13', 'usual', set(['BT-109', null])],
  ['BR-14', 'usual', set(['BT-112', null])],
  ['BR-15', 'usual', set(['BT-115', null])],
  [
    'BR-16',
    'usual',
    (invoice) => {
      const lines = new Set(invoice.group('BG-25').map(({ node }) => node));
      const [parent] = invoice.syntax === 'ubl' ? [invoice.node] : invoice.node.children.slice(-1);
      parent!.children = parent!.children.filter((child) => !lines.has(child));
    },
  ],
  ['BR-21', 'usual', inGroup('BG-25', ['BT-126', null])],
  ['BR-22', 'usual', inGroup('BG-25', ['BT-129', 'four'])],
  ['BR-23', 'usual', inGroup('BG-25', ['BT-130', null])],
  ['BR-24', 'usual', inGroup('BG-25', ['BT-131', null])],
  ['BR-25', 'usual', inGroup('BG-25', ['BT-153', null])],
  ['BR-26', 'usual', inGroup('BG-25', ['BT-146', '1e3'])],
  ['BR-27', 'usual', inGroup('BG-25', ['BT-146', '-25'], ['BT-129', '-4'])],
  ['BR-29', 'usual', set(['BT-74', '20251231'], ['BT-73', '20260101'])],
  ['BR-30', 'usual', inGroup('BG-25', ['BT-135', '20251231'], ['BT-134', '20260101'])],
  ['BR-41', 'usual', inDiscount(['BT-136', null])],
  ['BR-42', 'usual', inDiscount(['BT-139', null], ['BT-140', null])],
  ['BR-45', 'usual', inGroup('BG-23', ['BT-116', null])],
  ['BR-46', 'usual', inGroup('BG-23', ['BT-117', null])],
  ['BR-47', 'usual', inGroup('BG-23', ['BT-118', null])],
  ['BR-48', 'usual', inGroup('BG-23', ['BT-119', null])],
  ['BR-49', 'usual', set(['BT-81', null])],
  ['BR-55', 'a credit note', set(['BT-25', null])],
  ['BR-61', 'usual', set(['BT-84', null])],
  ['BR-63', 'usual', set(['BT-49-1', null])],
  ['BR-CO-04', 'usual', inGroup('BG-25', ['BT-151', null])],
  ['BR-CO-09', 'usual', set(['BT-31', '136695976'])],
  ['BR-CO-10', 'usual', inGroup('BG-25', ['BT-131', '90.01'])],
  ['BR-CO-11', 'usual', set(['BT-107', '1.00'])],
  ['BR-CO-12', 'usual', set(['BT-108', '1.00'])],
  ['BR-CO-13', 'usual', set(['BT-109', '92.01'])],
  ['BR-CO-14', 'usual', inGroup('BG-23', ['BT-117', '17.11'])],
  ['BR-CO-15', 'usual', set(['BT-112', '109.23'])],
  ['BR-CO-16', 'usual', set(['BT-113', '1.01'])],
  ['BR-CO-17', 'usual', inGroup('BG-23', ['BT-117', '17.11'])],
  [
    'BR-CO-18',
    'usual',
    (invoice) => invoice.group('BG-23').forEach(({ node }) => Object.assign(node, { name: 'none' })),
  ],
  ['BR-CO-25', 'usual', set(['BT-9', null], ['BT-20', null])],
  ['BR-CO-26', 'usual', set(['BT-30', null], ['BT-31', null])],
  ['BR-S-01', 'reverse charge', inGroup('BG-23', ['BT-118', 'S'])],
  ['BR-S-02', 'usual', set(['BT-31', null], ['BT-32', null])],
  ['BR-S-05', 'usual', inGroup('BG-25', ['BT-152', '0'])],
  ['BR-S-08', 'usual', inGroup('BG-23', ['BT-116', '90.01'])],
  ['BR-S-09', 'usual', inGroup('BG-23', ['BT-117', '17.09'])],
  ['BR-S-10', 'usual', inGroup('BG-23', ['BT-120', 'Exempt'])],
  ...untaxedExamples('Z', 'zero rated'),
  ['BR-Z-02', 'zero rated', set(['BT-31', null], ['BT-32', null])],
  ...untaxedExamples('E', 'exempt'),
  ['BR-E-02', 'exempt', set(['BT-31', null], ['BT-32', null])],
  ...untaxedExamples('AE', 'reverse charge'),
  ['BR-AE-02', 'reverse charge', set(['BT-48', null])],
  ...untaxedExamples('IC', 'intra-Community'),
  ['BR-IC-02', 'intra-Community', set(['BT-48', null])],
  ['BR-IC-11', 'intra-Community', set(['BT-72', null])],
  ['BR-IC-12', 'intra-Community', set(['BT-80', null])],
  ...untaxedExamples('G', 'export'),
  ['BR-G-02', 'export', set(['BT-31', null])],
  ...untaxedExamples('O', 'untaxed'),
  ['BR-O-02', 'reverse charge', inGroup('BG-25', ['BT-151', 'O'])],
  ['BR-O-11', 'usual', inGroup('BG-23', ['BT-118', 'O'])],
  ['BR-O-12', 'reverse charge', inGroup('BG-23', ['BT-118', 'O'])],
  ['BR-DEC-09', 'usual', set(['BT-106', '92.000'])],
  ['BR-DEC-12', 'usual', set(['BT-109', '92.000'])],
  ['BR-DEC-13', 'usual', set(['BT-110', '17.240'])],
  ['BR-DEC-14', 'usual', set(['BT-112', '109.240'])],
  ['BR-DEC-16', 'usual', set(['BT-113', '1.000'])],
  ['BR-DEC-18', 'usual', set(['BT-115', '108.240'])],
  ['BR-DEC-19', 'usual', inGroup('BG-23', ['BT-116', '90.000'])],
  ['BR-DEC-20', 'usual', inGroup('BG-23', ['BT-117', '17.100'])],
  ['BR-DEC-23', 'usual', inGroup('BG-25', ['BT-131', '90.000'])],
  ['BR-DEC-24', 'usual', inDiscount(['BT-136', '10.000'])],
  ['BT-131', 'usual', inGroup('BG-25', ['BT-146', '25.01'])],
];

describe('each rule has an example that breaks it', () => {
  it('has all rules', () => {
    expect(examples.map(([rule]) => rule).toSorted()).toEqual(Object.keys(rules).toSorted());
  });

  it.each(examples)('%s', (rule, name, change) => {
    for (const [, render] of syntaxes) {
      expect(listBroken(readTerms(mutate(render(records[name]!), change)))).toContain(rule);
    }
  });

  it('an unchanged document is the same after reading and writing', () => {
    for (const [, render] of syntaxes) {
      const xml = render(usual);
      expect(readXml(writeXml(readXml(xml)))).toEqual(readXml(xml));
    }
  });
});

it.each([
  ['invoice.ubl.xml', () => renderUbl(usual)],
  ['invoice.cii.xml', () => renderCii(usual)],
  ['invoice.json', () => renderJson(usual)],
  ['credit-note.ubl.xml', () => renderUbl(creditNote)],
  ['credit-note.cii.xml', () => renderCii(creditNote)],
])('%s is as committed', async (file, render) => {
  await expect(render()).toMatchFileSnapshot(`./examples/${file}`);
});

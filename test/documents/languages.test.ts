/** Documents in the languages of the European Union: the words of tax law, numbers, dates, and fonts that have every letter. */
import { expect, it } from 'vitest';
import { openFonts, orderFamily } from '../../src/documents/pdf/fonts.ts';
import { breakLines } from '../../src/documents/pdf/text.ts';
import { readFileSync } from 'node:fs';
import { lineTexts } from '../../src/billing/invoices/texts.ts';
import { renderHtml } from '../../src/documents/html.ts';
import { documentTexts, type DocumentTag } from '../../src/documents/texts.ts';
import { plainRecord, reverseCharge } from './records.ts';

const isolates = /[\u2066-\u2069\u200E]/g;
const read = (page: string) =>
  page
    .replace(/<style>[\s\S]*?<\/style>|<[^>]*>/g, ' ')
    .replace(isolates, '')
    .replace(/[\u00A0\u202F]/g, ' ')
    .replace(/\s+/g, ' ');

/** The words of Directive 2006/112/EC, article 226 (11a), in each language. */
const rows: [locale: string, reverseChargeWords: string, shown: string[]][] = [
  ['de', 'Steuerschuldnerschaft des Leistungsempfängers', ['01.11.2026', 'USt. 19 % auf 12.345,60']],
  ['de-CH', 'Steuerschuldnerschaft', ['01.11.2026', 'USt. 19 % auf 12’345.60']],
  ['de-LI', 'Steuerschuldnerschaft', ['01.11.2026', 'USt. 19 % auf 12’345.60']],
  ['fr', 'Autoliquidation', ['01/11/2026', 'TVA 19 % sur 12 345,60']],
  ['fr-CH', 'Autoliquidation', ['01.11.2026', 'TVA 19 % sur 12 345.60']],
  ['it-CH', 'Inversione contabile', ['01.11.2026', 'IVA 19% su 12’345.60']],
  ['es', 'Inversión del sujeto pasivo', ['01/11/2026', 'IVA 19 % sobre 12.345,60']],
  ['it', 'Inversione contabile', ['01/11/2026', 'IVA 19% su 12.345,60']],
  ['nl-BE', 'Btw verlegd', ['01-11-2026', 'Btw 19% over 12.345,60']],
  ['pl', 'Odwrotne obciążenie', ['01.11.2026', 'VAT 19% od 12 345,60']],
  ['pt', 'Autoliquidação', ['01/11/2026', 'IVA 19% sobre 12 345,60']],
  ['pt-BR', 'Autoliquidação', ['01/11/2026', 'IVA 19% sobre 12.345,60']],
  ['sv-FI', 'Omvänd betalningsskyldighet', ['2026-11-01', 'Moms 19 % på 12 345,60']],
  ['da', 'Omvendt betalingspligt', ['01.11.2026', 'Moms 19 % af 12.345,60']],
  ['fi', 'Käännetty verovelvollisuus', ['1.11.2026', 'ALV 19 % summasta 12 345,60']],
  ['cs', 'Daň odvede zákazník', ['1. 11. 2026', 'DPH 19 % z 12 345,60']],
];
it.each(rows)('in %s', (locale, words, shown) => {
  const record = {
    ...plainRecord,
    locale,
    taxes: [{ ...plainRecord.taxes[0]!, taxableMinor: '1234560' }],
  };
  const text = read(renderHtml(record));
  for (const part of shown) expect(text).toContain(part);
  expect(read(renderHtml({ ...reverseCharge, locale }))).toContain(words);
});

const font = (name: string) => readFileSync(`src/documents/fonts/${name}.ttf`);
const family = openFonts({
  latin: font('latin'),
  latinStrong: font('latin-strong'),
  persian: font('persian'),
  persianStrong: font('persian-strong'),
  hebrew: font('hebrew'),
  hebrewStrong: font('hebrew-strong'),
});

const listTexts = (texts: object): string[] =>
  Object.values(texts).flatMap((text) => (typeof text === 'string' ? [text] : listTexts(text as object)));
/** The names in braces of each text, in one order. */
const listNames = (texts: object) =>
  listTexts(texts).map((text) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted());

it.each(Object.keys(documentTexts) as DocumentTag[])('%s has every letter and every value', (tag) => {
  const { regular, strong } = orderFamily(family, tag);
  const texts = [...listTexts(documentTexts[tag]), ...listTexts(lineTexts[tag])];
  expect(texts.length).toBeGreaterThan(80);
  for (const text of texts)
    for (const fonts of [regular, strong])
      for (const { runs } of breakLines(text, fonts, 200, 'ltr'))
        for (const run of runs) expect(run.text, text).not.toContain('\uFFFD');
  expect(listNames(documentTexts[tag])).toEqual(listNames(documentTexts.en));
  expect(listNames(lineTexts[tag])).toEqual(listNames(lineTexts.en));
});

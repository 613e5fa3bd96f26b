/** How the console writes amounts, times and CSV files. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDecimal } from '../../src/console/texts/numbers.ts';
import { formatLine, plainStyle } from '../../src/console/data/csv.ts';
import { createMoneyAxis } from '../../src/console/texts/axis.ts';
import { createFormat } from '../../src/console/texts/format.ts';
import { texts } from '../../src/console/events/texts.ts';

const plain = (text: string) => text.replace(/[\u00a0\u202f\u200e\u200f]/g, ' ').trim();

describe('amounts', () => {
  it.each([
    ['en', '1234.50', 'usd', '1,234.50', '$1,234.50'],
    ['en', '-4.83', 'usd', '−4.83', '−$4.83'],
    ['en', '123456789012345678.90', 'usd', '123,456,789,012,345,678.90', '$123,456,789,012,345,678.90'],
    ['en', '500', 'jpy', '500', '¥500'],
    ['en', '1.234', 'kwd', '1.234', 'KWD 1.234'],
    ['de', '1234.50', 'eur', '1.234,50', '1.234,50 €'],
    ['fr', '1234.50', 'eur', '1 234,50', '1 234,50 €'],
    ['fa', '12.40', 'eur', '۱۲٫۴۰', '€۱۲٫۴۰'],
  ] as const)('%s: %s %s', (language, decimal, currency, figures, money) => {
    const format = createFormat(language, 'UTC');
    expect(plain(format.figures({ decimal, currency }))).toBe(figures);
    expect(plain(format.money({ decimal, currency }))).toBe(money);
  });
});

describe('the axis of a chart', () => {
  it.each([
    ['en', 'usd', 29.9, '$29.90'],
    ['en', 'usd', 30, '$30'],
    ['en', 'usd', 0, '$0'],
    ['en', 'usd', 0.5, '$0.50'],
    ['en', 'usd', -4.83, '−$4.83'],
    ['en', 'usd', 12_340.5, '$12.3K'],
    ['en', 'jpy', 500, '¥500'],
    ['de', 'eur', 29.9, '29,90 €'],
    ['fa', 'eur', 29.9, '€۲۹٫۹۰'],
  ] as const)('%s: %s %s is %s', (language, currency, value, text) => {
    const decimal = currency === 'jpy' ? '0' : '0.00';
    expect(plain(createMoneyAxis(createFormat(language, 'UTC'), { decimal, currency }).tick(value))).toBe(
      text,
    );
  });
});

describe('times', () => {
  it('are those of the tenant', () => {
    const instant = '2020-01-31T23:30:00.000Z';
    expect(createFormat('en', 'UTC').date(instant)).toBe('Jan 31, 2020');
    expect(createFormat('en', 'Asia/Tehran').date(instant)).toBe('Feb 1, 2020');
  });

  it('name the month that a report counts', () => {
    const instant = '2026-01-01T00:00:00.000Z';
    expect(plain(createFormat('fa', 'UTC').month(instant))).toBe('ژانویه ۲۰۲۶');
    expect(createFormat('en', 'UTC').month(instant)).toBe('Jan 2026');
  });

  it.each([
    ['2026-03-01T00:00:00.000Z', 'in 3 days', 'now'],
    ['2026-02-25T22:00:00.000Z', 'now', '2 hours ago'],
    ['2026-02-26T00:00:00.000Z', 'now', 'now'],
    // What happened is never ahead, and what is due never past, where two clocks differ by seconds.
    ['2026-02-26T00:00:08.000Z', 'in 8 seconds', 'now'],
    ['2026-02-25T23:59:52.000Z', 'now', '8 seconds ago'],
  ])('%s is %s, or %s for what has happened', (instant, future, past) => {
    const now = Date.parse('2026-02-26T00:00:00.000Z');
    const format = createFormat('en', 'UTC');
    expect([format.future(instant, now), format.past(instant, now)]).toEqual([future, past]);
  });
});

describe('a line of CSV', () => {
  it.each([
    [['a', 'b'], 'a,b'],
    [['a,b', 'say "no"'], '"a,b","say ""no"""'],
    [['two\nlines', null], '"two\nlines",'],
    [[12.5, undefined], '12.5,'],
    // A spreadsheet would run these.
    [['=HYPERLINK("http://evil")'], '"\'=HYPERLINK(""http://evil"")"'],
    [['@SUM(1)', '+1 555', '-x'], "'@SUM(1),'+1 555,'-x"],
    [['-12.50'], '-12.50'],
  ] as [(string | number | null | undefined)[], string][])('%j', (values, line) => {
    expect(formatLine(values)).toBe(`${line}\r\n`);
  });
});

describe('a text of a customer is never a formula', () => {
  const beginnings = [
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    '＝',
    '＋',
    '－',
    '＠',
    '−',
    '﹢',
    '﹣',
    '﹦',
    '﹫',
  ];
  const skipped = ['', ' ', '\u00a0', '\u200b', '\ufeff', '\u2066', '\u0000'];
  it.each(beginnings.flatMap((sign) => skipped.map((before) => `${before}${sign}cmd|/C calc!A0`)))(
    '%j',
    (text) => {
      for (const style of [plainStyle, { separator: ';', point: ',' } as const])
        expect(formatLine([text], style)).toMatch(/^"?'/);
    },
  );

  it.each([
    ['Müller – Söhne', 'Müller – Söhne'],
    ['a;=1+1', '"a;=1+1"'],
    ['a,=1+1', '"a,=1+1"'],
    ['a\n=1+1', '"a\n=1+1"'],
    ['say "=1"', '"say ""=1"""'],
    ['a=b', 'a=b'],
  ])('%j is written as it is', (text, field) => {
    expect(formatLine([text])).toBe(`${field}\r\n`);
    expect(formatLine([text], { separator: ';', point: ',' })).toBe(`${field}\r\n`);
  });

  it.each([
    [{ decimal: '-1234.50' }, '-1234.50', '-1234,50'],
    [{ decimal: '0.000375' }, '0.000375', '0,000375'],
    [-0.5, '-0.5', '-0,5'],
    [12, '12', '12'],
    [null, '', ''],
  ])('a number stays one: %j', (value, point, comma) => {
    expect(formatLine([value, 'x'])).toBe(`${point},x\r\n`);
    expect(formatLine([value, 'x'], { separator: ';', point: ',' })).toBe(`${comma};x\r\n`);
  });
});

// Another test holds this page to the events that the server knows.
const page = readFileSync(path.join(import.meta.dirname, '../../docs/events.md'), 'utf8');
const events = Array.from(page.matchAll(/^### (\w+\.\w+)$/gm), ([, name]) => name);

it.each(Object.keys(texts) as (keyof typeof texts)[])('every event has a sentence: %s', (language) => {
  expect(new Set(Object.keys(texts[language].sentences))).toEqual(new Set(events));
});

describe('a number that somebody typed', () => {
  it.each([
    ['29,90', '29.90', '29.90'],
    ['29.90', '29.90', '29.90'],
    ['1,290.00', '1290.00', '1290.00'],
    ['1.290,00', '1290.00', '1290.00'],
    ['1.290', '1.290', '1290'],
    ['1,290', '1290', '1.290'],
    ['1,290,000', '1290000', '1290000'],
    ['1 290,5', '1290.5', '1290.5'],
    ["1'290.50", '1290.50', '1290.50'],
    ['۱٬۲۹۰٫۵', '1290.5', '1290.5'],
    ['0,000375', '0.000375', '0.000375'],
    ['0,290', '0.290', '0.290'],
    ['12', '12', '12'],
    ['1,29,0.00', '1,29,0.00', '1,29,0.00'],
    ['1.2.3', '1.2.3', '1.2.3'],
    ['-5', '-5', '-5'],
    ['1e3', '1e3', '1e3'],
    ['', '', ''],
  ])('%s', (typed, english, german) => {
    expect([readDecimal(typed, 'en'), readDecimal(typed, 'de')]).toEqual([english, german]);
  });
});

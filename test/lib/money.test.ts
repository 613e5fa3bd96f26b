import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { formatDecimal, readDecimal } from '../../src/lib/decimal.ts';
import { BillingError } from '../../src/lib/errors.ts';
import {
  decimalFromMinor,
  decimalText,
  decimalToMinor,
  divideRoundHalfUp,
  formatMoney,
  formatUnitAmount,
  LARGEST_AMOUNT_MINOR,
  parseCurrency,
  roundToMinor,
  toMajor,
  toMinor,
  unitAmountText,
} from '../../src/lib/money.ts';

/** ISO's own publication, as currency-codes ships it: code and minor unit, `N.A.` where there is none. */
const isoListFile = createRequire(import.meta.url).resolve('currency-codes/iso-4217-list-one.xml');
const isoList = [
  ...readFileSync(isoListFile, 'utf8').matchAll(
    /<Ccy>(\w{3})<\/Ccy>\s*<CcyNbr>\d+<\/CcyNbr>\s*<CcyMnrUnts>([^<]+)</g,
  ),
].map(([, code, minorUnits]) => ({ code: code!, minorUnits: minorUnits! }));

const anyCurrency = fc.constantFrom('jpy', 'afn', 'usd', 'kwd', 'clf');

function catchReason(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof BillingError)
      return `${error.reason} ${error.issues.map(({ path }) => path).join()}`;
    throw error;
  }
  return 'accepted';
}

describe('currencyOf', () => {
  test.each([
    ['AFN', 'afn'],
    ['afn', 'afn'],
    ['Usd', 'usd'],
    ['XCG', 'xcg'],
    ['xof', 'xof'],
  ])('%s is %s', (text, currency) => expect(parseCurrency(text, 'currency')).toBe(currency));

  test.each(['', 'us', 'usdd', 'zzz', ' usd', 'XAU', 'xxx', 'XTS', 'XDR', 'constructor', '__proto__'])(
    'refuses %j',
    (text) =>
      expect(catchReason(() => parseCurrency(text, 'details.currency'))).toBe(
        'currency_unsupported details.currency',
      ),
  );

  it('knows every code of ISO 4217 with its minor unit, and refuses those without one', () => {
    expect(isoList.length).toBeGreaterThan(200);
    for (const { code, minorUnits } of isoList) {
      if (minorUnits === 'N.A.') {
        expect(
          catchReason(() => parseCurrency(code, 'c')),
          code,
        ).toBe('currency_unsupported c');
      } else {
        expect(toMinor(1, parseCurrency(code, 'c'), 'a'), code).toBe(10n ** BigInt(minorUnits));
      }
    }
  });
});

describe('toMinor', () => {
  test.each([
    [50, 'afn', 5000n],
    [0.1, 'usd', 10n],
    [0.29, 'usd', 29n],
    [1.15, 'usd', 115n],
    [4.35, 'usd', 435n],
    [1500, 'jpy', 1500n],
    [1.234, 'kwd', 1234n],
    [0.0001, 'clf', 1n],
    [0, 'usd', 0n],
    [-0, 'usd', 0n],
    [1e15, 'usd', 10n ** 17n],
    [1e16, 'usd', 10n ** 18n],
    [1e18, 'jpy', 10n ** 18n],
    [9999999999999.99, 'usd', 999999999999999n],
  ])('%d %s is %d', (amount, currency, amountMinor) =>
    expect(toMinor(amount, currency, 'amount')).toBe(amountMinor),
  );

  test.each([
    [-1, 'usd', 'validation_failed'],
    [-0.001, 'usd', 'validation_failed'],
    [Number.NaN, 'usd', 'validation_failed'],
    [Number.POSITIVE_INFINITY, 'usd', 'validation_failed'],
    [1e21, 'usd', 'validation_failed'],
    [1e308, 'jpy', 'validation_failed'],
    [1.1e18, 'jpy', 'validation_failed'],
    [10.005, 'usd', 'amount_precision'],
    [0.1 + 0.2, 'usd', 'amount_precision'],
    [1.5, 'jpy', 'amount_precision'],
    [1e-7, 'usd', 'amount_precision'],
    [5e-324, 'usd', 'amount_precision'],
    [9007199254740993, 'usd', 'amount_precision'],
    [12345678901234.56, 'usd', 'amount_precision'],
    [1, 'zzz', 'currency_unsupported'],
  ])('%d %s is refused: %s', (amount, currency, reason) =>
    expect(catchReason(() => toMinor(amount, currency, 'details.amount'))).toBe(`${reason} details.amount`),
  );

  it('is the inverse of toMajor for every amount of up to 15 digits', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n });
    fc.assert(
      fc.property(amount, anyCurrency, (amountMinor, currency) => {
        expect(toMinor(toMajor(amountMinor, currency), currency, 'amount')).toBe(amountMinor);
        expect(toMajor(-amountMinor, currency)).toBe(0 - toMajor(amountMinor, currency));
      }),
      { numRuns: 1000 },
    );
  });

  it('returns the double nearest to the decimal text, of any length', () => {
    const amount = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 63 }), anyCurrency, (long, cut, currency) => {
        const amountMinor = long >> BigInt(cut);
        const [decimals] = formatMoney(amountMinor, currency).split(' ');
        expect(toMajor(amountMinor, currency)).toBe(Number(decimals));
      }),
      { numRuns: 1000 },
    );
  });

  it('writes decimals with exactly those of each currency, and reads them back', () => {
    const withMinorUnit = isoList.filter(({ minorUnits }) => minorUnits !== 'N.A.');
    expect(withMinorUnit.length).toBeGreaterThan(150);
    const amount = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n });
    fc.assert(
      fc.property(fc.constantFrom(...withMinorUnit), amount, ({ code, minorUnits }, amountMinor) => {
        const currency = code.toLowerCase();
        const text = decimalText(amountMinor, currency);
        expect(text.split('.')[1]?.length ?? 0).toBe(Number(minorUnits));
        expect(decimalToMinor(text, currency, 'a')).toBe(amountMinor);
        expect(unitAmountText(formatDecimal(readDecimal(text)), currency)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it('returns every accepted number unchanged', () => {
    fc.assert(
      fc.property(fc.double(), anyCurrency, (amount, currency) => {
        if (catchReason(() => toMinor(amount, currency, 'amount')) !== 'accepted') return;
        expect(toMajor(toMinor(amount, currency, 'amount'), currency)).toBe(amount + 0);
      }),
      { numRuns: 1000 },
    );
  });
});

test.each([
  [5000n, 'afn', '50.00 AFN', 50],
  [1500n, 'jpy', '1500 JPY', 1500],
  [-483n, 'usd', '-4.83 USD', -4.83],
  [-5n, 'usd', '-0.05 USD', -0.05],
  [5n, 'kwd', '0.005 KWD', 0.005],
  [0n, 'usd', '0.00 USD', 0],
  [-7n, 'jpy', '-7 JPY', -7],
])('%d minor units of %s are %s for people and %d on the wire', (amountMinor, currency, text, amount) => {
  expect(formatMoney(amountMinor, currency)).toBe(text);
  expect(toMajor(amountMinor, currency)).toBe(amount);
});

it('names the currency in capitals where an amount is too fine', () => {
  const message = 'must have at most 2 decimals in USD, not 1.005';
  const issues = [{ path: 'a', message, code: 'too_precise', limit: 2 }];
  expect(() => toMinor(1.005, 'usd', 'a')).toThrow(expect.objectContaining({ issues }));
  expect(() => decimalToMinor('1.005', 'usd', 'a')).toThrow(expect.objectContaining({ issues }));
});

describe('amounts as text', () => {
  test.each([
    ['0', 'usd', 0n],
    ['10.5', 'usd', 1050n],
    ['10.50', 'usd', 1050n],
    ['0.01', 'usd', 1n],
    ['1500', 'jpy', 1500n],
    ['1.234', 'kwd', 1234n],
    ['123456789012345.67', 'usd', 12345678901234567n],
    ['10000000000000000', 'usd', LARGEST_AMOUNT_MINOR],
  ])('%s %s is %d', (text, currency, amountMinor) => {
    expect(decimalToMinor(text, currency, 'amount')).toBe(amountMinor);
    expect(decimalFromMinor(amountMinor, currency).digits).toBe(amountMinor);
    expect(roundToMinor(decimalFromMinor(amountMinor, currency), currency)).toBe(amountMinor);
  });

  test.each([
    ['', 'usd', 'validation_failed', 'must be a decimal number, 0 or more'],
    ['-0.01', 'usd', 'validation_failed', 'must be a decimal number, 0 or more'],
    ['1e3', 'usd', 'validation_failed', 'must be a decimal number, 0 or more'],
    [
      '10000000000000000.01',
      'usd',
      'validation_failed',
      `must be at most ${LARGEST_AMOUNT_MINOR} minor units`,
    ],
    ['0.001', 'usd', 'amount_precision', 'must have at most 2 decimals in USD, not 0.001'],
    ['0.1', 'jpy', 'amount_precision', 'must have at most 0 decimals in JPY, not 0.1'],
    ['1', 'zzz', 'currency_unsupported', 'must be an ISO 4217 currency code such as afn'],
  ])('%j %s is refused: %s', (text, currency, reason, message) => {
    const issues = [expect.objectContaining({ path: 'details.decimal', message })];
    expect(() => decimalToMinor(text, currency, 'details.decimal')).toThrow(
      expect.objectContaining({ reason, issues }),
    );
  });

  it('mean the same as numbers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), anyCurrency, (amountMinor, currency) => {
        const [text] = formatMoney(amountMinor, currency).split(' ');
        expect(decimalToMinor(text!, currency, 'a')).toBe(toMinor(Number(text), currency, 'a'));
      }),
    );
  });

  test.each([
    [0.005, 'usd', 1n],
    [0.0049, 'usd', 0n],
    [-0.005, 'usd', -1n],
    [0.5, 'jpy', 1n],
    [12.3, 'usd', 1230n],
  ])('%d %s is rounded to %d', (amount, currency, amountMinor) => {
    const scale = (String(amount).split('.')[1] ?? '').length;
    const digits = BigInt(Math.round(amount * 10 ** scale));
    expect(roundToMinor({ digits, scale }, currency)).toBe(amountMinor);
  });

  test.each([
    ['9.5', 'usd', '9.50 USD'],
    ['9', 'usd', '9.00 USD'],
    ['0.000375', 'usd', '0.000375 USD'],
    ['15', 'jpy', '15 JPY'],
    ['0.5', 'jpy', '0.5 JPY'],
  ])('the unit amount %s in %s is shown as %s', (unitAmount, currency, text) =>
    expect(formatUnitAmount(unitAmount, currency)).toBe(text),
  );
});

describe('divideRoundHalfUp', () => {
  test.each([
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [4n, 3n, 1n],
    [5n, 3n, 2n],
    [-4n, 3n, -1n],
    [0n, 7n, 0n],
    [1n, 2n, 1n],
    [10n ** 30n, 3n, 333333333333333333333333333333n],
  ])('%d ÷ %d = %d', (numerator, denominator, quotient) =>
    expect(divideRoundHalfUp(numerator, denominator)).toBe(quotient),
  );

  test.each([0n, -1n])('throws for the denominator %d', (denominator) =>
    expect(() => divideRoundHalfUp(1n, denominator)).toThrow(
      new RangeError(`cannot divide by ${denominator}`),
    ),
  );

  it('is never further than a half from the exact quotient, and treats both signs alike', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 10n ** 12n }), (numerator, denominator) => {
        const quotient = divideRoundHalfUp(numerator, denominator);
        const doubledError = 2n * (quotient * denominator - numerator);
        expect(doubledError <= denominator && -doubledError <= denominator).toBe(true);
        expect(divideRoundHalfUp(-numerator, denominator)).toBe(-quotient);
      }),
    );
  });
});

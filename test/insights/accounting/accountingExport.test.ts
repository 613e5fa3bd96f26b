/** Files for accounting programs have every document once, to the cent, in the form that the programs read. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeWindows1252, fitWindows1252 } from '../../../src/lib/windows1252.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { readDatevFile, type DatevLine } from '../../support/datevFile.ts';
import { ask } from '../../support/oneOff.ts';
import { openTaxed, parties, type Taxed } from '../../support/taxes.ts';
import { openSeller, readReturn, toMinor } from '../../support/taxReturns.ts';
import { bill } from '../../support/taxReports.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

const document = `query ($input: AccountingExportInput!, $after: String) { accountingExport(input: $input, after: $after) {
  fileName contentType base64 nextCursor otherCurrencies { currency documents }
} }`;
const settingsDocument = `mutation ($input: SetAccountingInput!) { setAccounting(input: $input) { accounting {
  chart consultantNumber clientNumber fiscalYearStart accountLength debtorAccount debtorMetadataKey moneyAccount
  revenueAccounts { treatment category percent country account taxKey taxAccount }
} } }`;

const year = { from: '2026-01-01', until: '2027-01-01' };
const datev = { consultantNumber: 29098, clientNumber: 55003 };

const configure = async (shop: Taxed, input: object) =>
  (await shop.client.graphql(settingsDocument, { input: { ...datev, ...input } })).setAccounting.accounting;

/** Downloads a whole file, part by part. */
async function download(shop: Taxed, input: object) {
  const parts: Buffer[] = [];
  let first: any;
  let after: string | null = null;
  do {
    const { accountingExport: part }: any = await shop.client.graphql(document, {
      input: { ...year, ...input },
      after,
    });
    first ??= part;
    parts.push(Buffer.from(part.base64, 'base64'));
    after = part.nextCursor;
  } while (after);
  return { ...first, bytes: Buffer.concat(parts) };
}

const lineText = (line: DatevLine): string =>
  [line[2], line[7], line[8], line[1], line[9], line[10], line[11], line[40], line[41]]
    .filter(Boolean)
    .join(' ');

/** The sum of the lines: debits of the debtor less its credits. */
const sumLines = (lines: DatevLine[]): bigint =>
  lines.reduce((sum, line) => sum + (line[2] === 'S' ? 1n : -1n) * toMinor(line[1]!.replace(',', '.')), 0n);

describe('a seller in Germany', () => {
  let shop: Taxed;
  beforeAll(async () => {
    shop = await openSeller(app, 'DE', '7');
    await configure(shop, {});
  });

  // By the chart: figures by hand, with the numbers of the documents.
  it.each([
    ['skr03', '8400', '8300', '8331', '8336', '8338', '8100', '1360'],
    ['skr04', '4400', '4300', '4331', '4336', '4338', '4100', '1460'],
  ])('is booked by %s', async (chart, standard, reduced, oneStopShop, union, elsewhere, exempt, money) => {
    await configure(shop, { chart });
    const file = await download(shop, { format: 'datev', payments: true });
    expect(file).toMatchObject({
      fileName: 'EXTF_Buchungsstapel_2026-01-01_2026-12-31.csv',
      contentType: 'text/csv; charset=windows-1252',
      otherCurrencies: [{ currency: 'usd', documents: 1 }],
    });
    const { head, lines } = readDatevFile(file.bytes);
    expect([head[10], head[11], head[12], head[14], head[15], head[26]]).toEqual([
      '29098',
      '55003',
      '20260101',
      '20260101',
      '20261231',
      `"${chart.slice(3)}"`,
    ]);
    const without = lines.map((line) => lineText(line).replace(/ (INV|CN)-\S+/, ''));
    expect(without.toSorted()).toEqual(
      [
        `S 10000 ${standard} 119,65 1501`,
        `S 10000 ${reduced} 53,93 1501`,
        `S 10000 ${oneStopShop} 240,00 1501 FR 20,00`,
        `S 10000 ${oneStopShop} 12,40 1501 EE 24,00`,
        `S 10000 ${union} 300,99 1501 IT00000010215`,
        `S 10000 ${elsewhere} 400,00 1501`,
        `S 10000 ${exempt} 25,00 1501`,
        `H 10000 ${standard} 11,90 1501`,
        `H 10000 ${oneStopShop} 60,00 0205 FR 20,00`,
        `S 10000 ${oneStopShop} 1,20 0205 FR 20,00`,
        `S ${money} 10000 1,20 0205`,
      ].toSorted(),
    );
  });

  it('has the sum of its documents', async () => {
    const { lines } = readDatevFile((await download(shop, { format: 'datev' })).bytes);
    const { rows } = await readReturn(shop, { kind: 'plain', ...year });
    const euros = rows.filter(({ currency }: any) => currency === 'eur');
    const total = euros.reduce(
      (sum: bigint, { taxable, tax }: any) => sum + toMinor(taxable.decimal) + toMinor(tax.decimal),
      0n,
    );
    expect(sumLines(lines)).toBe(total);
  });

  it('is booked on accounts of its own, and the tax apart where a tax account says so', async () => {
    const settings = await configure(shop, {
      chart: 'skr03',
      accountLength: 6,
      debtorAccount: '1400000',
      revenueAccounts: [
        { treatment: 'one_stop_shop', country: 'FR', account: '832000', taxAccount: '176700' },
        { treatment: 'domestic', percent: '7.0', account: '820000', taxKey: '2' },
      ],
    });
    expect(settings.revenueAccounts).toHaveLength(2);
    const { lines } = readDatevFile((await download(shop, { format: 'datev', until: '2026-04-01' })).bytes);
    const texts = lines.map((line) => lineText(line).replace(/ (INV|CN)-\S+/, ''));
    expect(texts).toContain('S 1400000 840000 119,65 1501');
    expect(texts).toContain('S 1400000 820000 53,93 0002 1501');
    expect(texts).toContain('S 1400000 832000 200,00 1501 FR 20,00');
    expect(texts).toContain('S 1400000 176700 40,00 1501');
    await configure(shop, {});
  });

  it('has each line of its documents in the file for Xero, and in those for QuickBooks', async () => {
    await configure(shop, {
      chart: 'own',
      revenueAccounts: [{ percent: '19', account: '260', taxKey: '19% (VAT on Income)' }],
    });
    const rowsOf = async (format: string) => {
      const file = await download(shop, { format });
      expect([file.fileName, file.contentType]).toEqual([
        `${format}_2026-01-01_2026-12-31.csv`,
        'text/csv; charset=utf-8',
      ]);
      const [head, ...rows] = file.bytes
        .toString()
        .trimEnd()
        .split('\r\n')
        .map((row: string) => row.split(','));
      return rows.map((row: string[]) =>
        Object.fromEntries(head.map((name: string, nth: number) => [name, row[nth]])),
      );
    };
    const total = (rows: any[], ...names: string[]) =>
      rows
        .filter(({ Currency }) => Currency === 'EUR')
        .reduce((sum, row) => sum + names.reduce((part, name) => part + toMinor(row[name]), 0n), 0n);
    const { rows } = await readReturn(shop, { kind: 'plain', ...year });
    const expected = total(
      rows.map(({ taxable, tax, currency }: any) => ({
        Currency: currency.toUpperCase(),
        a: taxable.decimal,
        b: tax.decimal,
      })),
      'a',
      'b',
    );
    const xero = await rowsOf('xero');
    expect(xero).toHaveLength(11);
    expect(total(xero, '*UnitAmount', 'TaxAmount')).toBe(expected);
    expect(xero.find((row: any) => row['*UnitAmount'] === '100.55')).toMatchObject({
      '*InvoiceDate': '15/01/2026',
      '*Quantity': '1',
      '*AccountCode': '260',
      '*TaxType': '19% (VAT on Income)',
      TaxAmount: '19.10',
    });
    expect(xero.find((row: any) => row['*UnitAmount'] === '-50.00')).toMatchObject({
      '*TaxType': '20%',
      TaxAmount: '-10.00',
    });
    const [invoices, credits] = [await rowsOf('quickbooks'), await rowsOf('quickbooks_credits')];
    expect([invoices.length, credits.length]).toEqual([9, 2]);
    expect(
      total(invoices, '*ItemAmount', 'ItemTaxAmount') - total(credits, '*ItemAmount', 'ItemTaxAmount'),
    ).toBe(expected);
    await configure(shop, {});
  });

  it('shows nothing of it to another tenant, whose cursors are its own', async () => {
    const other = await openTaxed(app, '2026-06-01', 'DE');
    await configure(other, {});
    expect(readDatevFile((await download(other, { format: 'datev' })).bytes).lines).toEqual([]);
    const { body } = await other.client.post(document, {
      input: { format: 'xero', ...year },
      after: 'ZG9jdW1lbnRzfHg=',
    });
    expect(body.errors[0].extensions.reason).toBe('cursor_invalid');
  });
});

it('writes names that no code page has, and none that a spreadsheet executes', async () => {
  const shop = await openTaxed(app, '2026-01-15', 'DE');
  await configure(shop, { debtorMetadataKey: 'debtor' });
  const names = [
    ['Łódź Żółć & Söhne', 'Lódz Zólc & Söhne'],
    ['Щербаков "Київ"', 'Shcherbakov "Kiyiv"'],
    ['Ωμέγα', 'Omega'],
    ['=HYPERLINK("x")', `'=HYPERLINK("x")`],
    ['株式会社', '????'],
    ['Zeile\u0007eins', 'Zeile eins'],
  ] as const;
  for (const [companyName] of names) {
    const customer = await shop.shop.customer();
    await shop.move(customer, { ...parties['german'], companyName, metadata: { debtor: '12345' } });
    await bill(shop, customer, 1, 'eur');
  }
  const { lines } = readDatevFile((await download(shop, { format: 'datev' })).bytes);
  expect(lines.map((line) => String(line[24])).toSorted()).toEqual(
    names.map(([, written]) => written).toSorted(),
  );
  expect(new Set(lines.map((line) => line[7]))).toEqual(new Set(['12345']));
  const xero = (await download(shop, { format: 'xero' })).bytes.toString();
  expect(xero).toContain(`"'=HYPERLINK(""x"")"`);
  expect(xero).toContain('株式会社');
});

it('fits any text into the code page, and leaves what is in it as it is', () => {
  const decoder = new TextDecoder('windows-1252');
  // At once, Node 20 decodes it as Latin-1; a code page of single bytes leaves nothing for the next part.
  const decode = (bytes: Uint8Array) => decoder.decode(bytes, { stream: true });
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const fitted = fitWindows1252(text);
      expect(decode(encodeWindows1252(fitted))).toBe(fitted);
      expect(fitWindows1252(fitted)).toBe(fitted);
    }),
  );
  const own = 'ÄÖÜäöüß€ŠšŽžŒœŸ„“”‚‘’–—•…™ Ññ Çç';
  expect(fitWindows1252(own)).toBe(own);
});

const hostile: [name: string, settings: object | null, input: object, path: string][] = [
  ['settings without numbers', null, {}, 'format'],
  ['an account with letters', { revenueAccounts: [{ account: 'sales' }] }, {}, 'format'],
  ['a key with letters', { revenueAccounts: [{ account: '8400', taxKey: 'VAT 20%' }] }, {}, 'format'],
  ['two fiscal years', {}, { until: '2027-01-02' }, 'until'],
  ['a fiscal year that ends in July', { fiscalYearStart: '08-01' }, {}, 'until'],
  ['reversed dates', {}, { from: '2026-05-01', until: '2026-04-01' }, 'until'],
  ['10,000 years', {}, { from: '1970-01-01', until: '9999-12-31' }, 'until'],
  ['a time zone that does not exist', {}, { timeZone: 'Mars/Olympus' }, 'timeZone'],
];
it.each(hostile)('refuses a file for DATEV with %s', async (_, settings, input, path) => {
  const shop = await openTaxed(app, '2026-01-01', 'DE');
  if (settings) await configure(shop, settings);
  const { body } = await shop.client.post(document, { input: { format: 'datev', ...year, ...input } });
  const [{ extensions }] = body.errors;
  expect([extensions.reason, extensions.issues[0].path]).toEqual(['validation_failed', path]);
});

const badSettings: [input: object, path: string][] = [
  [{ consultantNumber: 1000 }, 'consultantNumber'],
  [{ clientNumber: 100_000 }, 'clientNumber'],
  [{ fiscalYearStart: '02-30' }, 'fiscalYearStart'],
  [{ accountLength: 9 }, 'accountLength'],
  [{ debtorAccount: '1;2' }, 'debtorAccount'],
  [{ debtorMetadataKey: 'a\nb' }, 'debtorMetadataKey'],
  [{ moneyAccount: '' }, 'moneyAccount'],
  [{ revenueAccounts: [{ account: '"' }] }, 'revenueAccounts.0.account'],
  [{ revenueAccounts: [{ account: '1', taxKey: 'x'.repeat(51) }] }, 'revenueAccounts.0.taxKey'],
  [{ revenueAccounts: Array.from({ length: 101 }, () => ({ account: '1' })) }, 'input.revenueAccounts'],
];
it.each(badSettings)('refuses the settings %o', async (input, path) => {
  const shop = await openTaxed(app, '2026-01-01', 'DE');
  const { body } = await shop.client.post(settingsDocument, { input });
  expect(body.errors[0].extensions.issues[0].path).toBe(path);
});

it('books what a seller without an address sold, and the remainder of 1,000 documents in further parts', async () => {
  const shop = await openTaxed(app, '2026-01-15', '');
  await configure(shop, {});
  const invoice = await bill(shop, await shop.shop.customer(), 12.34, 'eur');
  await ask(shop, 'recordPayment', { id: invoice.id });
  const { lines } = readDatevFile((await download(shop, { format: 'datev', payments: true })).bytes);
  expect(lines.map(lineText).map((text) => text.replace(/ (INV|CN)-\S+/, ''))).toEqual([
    'S 10000 4200 12,34 1501',
    'S 1460 10000 12,34 1501',
  ]);
});

/** The files of the European Central Bank, and the client that fetches one. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseRatesFile } from '../../src/providers/ecbFile.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runDueWork } from '../../src/app/scheduler.ts';
import pino from 'pino';

const day = (date: string, usd: string) =>
  `<Cube time='${date}'><Cube currency='USD' rate='${usd}'/><Cube currency="PLN" rate="4.2512"/></Cube>`;
const xml = (...days: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">\n<gesmes:subject>Reference rates</gesmes:subject>\n<Cube>\n${days.join('\n')}\n</Cube>\n</gesmes:Envelope>\n`;

describe('a file', () => {
  it.each([
    ['the history', 'Date,USD,JPY,CYP,\n2026-11-26,1.1642,N/A,0.5,\r\n2026-11-25,1.16,183.2,N/A,\n'],
    [
      'a byte order mark and spaces',
      '\uFEFFDate, USD, JPY, CYP, \n2026-11-26, 1.16420, , , \n2026-11-25, 1.16, 183.2, , ',
    ],
  ])('%s', (_, text) => {
    expect(parseRatesFile(text, '2026-11-27').slice(0, 1)).toEqual([
      { day: '2026-11-26', rates: { usd: '1.1642' } },
    ]);
  });

  it('in XML has days', () => {
    expect(parseRatesFile(xml(day('2026-11-26', '1.1642'), day('2026-11-25', '1.16')), '2026-11-26')).toEqual(
      [
        { day: '2026-11-26', rates: { usd: '1.1642', pln: '4.2512' } },
        { day: '2026-11-25', rates: { usd: '1.16', pln: '4.2512' } },
      ],
    );
  });

  it.each([
    ['', 'no rates|Date'],
    ['Date,USD\n', 'no rates'],
    ['Day,USD\n2026-11-26,1', 'Line 1, Date'],
    ['Date,USD,USD\n2026-11-26,1,1', 'Line 1, column 3'],
    ['Date,Dollar\n2026-11-26,1', 'Line 1, column 2'],
    ['Date,USD\n2026-11-26,1\n2026-11-25,0', 'Line 3, USD'],
    ['Date,USD\n2026-11-26,-1', 'Line 2, USD'],
    ['Date,USD\n2026-11-26,NaN', 'Line 2, USD'],
    [`Date,USD\n2026-11-26,1${'0'.repeat(300)}`, 'Line 2, USD'],
    ['Date,USD\n2026-11-26,1.1234567890123', 'Line 2, USD'],
    ['Date,USD\n2026-11-26,"1,1"', 'Line 2, columns'],
    ['Date,USD\n26.11.2026,1', 'Line 2, date'],
    ['Date,USD\n2026-02-30,1', 'Line 2, date'],
    ['Date,USD\n2026-11-28,1', 'Line 2, date: must not be after 2026-11-27'],
    ['Date,USD\n2026-11-26,1\n2026-11-26,1', '2026-11-26 twice'],
    [xml(day('2026-11-26', '1e3')), 'Line 5, USD'],
    [xml(`<Cube currency='USD' rate='1'/>`), 'Line 5, time'],
    [xml(`<Cube time='2026-11-26'><Cube currency='US' rate='1'/></Cube>`), 'Line 5, currency'],
    [xml(day('2026-11-26', '1')).slice(0, -20), 'ends before'],
    [
      xml(day('2026-11-26', '1')).replace('<gesmes:subject>', '<!DOCTYPE a><gesmes:subject>'),
      'document type',
    ],
    ['<html><body>Error</body></html>', 'ends before'],
  ])('with a mistake is refused as a whole: %j', (text, message) => {
    expect(() => parseRatesFile(text, '2026-11-27')).toThrow(new RegExp(message));
  });
});

describe('a server that fetches', () => {
  let app: TestApp | undefined;
  let server: Server | undefined;
  afterEach(async () => {
    await app?.close();
    server?.close();
  });

  /** Serves what `respond` returns; a number is a status. */
  async function serve(respond: () => string | number): Promise<string> {
    server = createServer((_, response) => {
      const body = respond();
      response.statusCode = typeof body === 'number' ? body : 200;
      response.end(typeof body === 'number' ? '' : body);
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/eurofxref-daily.xml`;
  }

  it('stores the rates of tenants that convert taxes, asks at most once an hour, and outlives failures', async () => {
    let asked = 0;
    let body: string | number = 503;
    let nowMs = Date.parse('2026-11-26T16:30:00Z');
    const url = await serve(() => {
      asked += 1;
      return body;
    });
    app = await startApp({ exchangeRatesUrl: url }, { clock: { nowMs: () => nowMs } });
    const log = pino({ level: 'silent' });
    const berlin = await app.tenant({ alias: 'berlin' });
    const lima = await app.tenant({ alias: 'lima' });
    const sell = (client: typeof berlin, country: string) =>
      client.graphql(
        'mutation ($seller: SellerInput!) { updateTenant(input: { seller: $seller }) { alias } }',
        { seller: { legalName: 'Acme', address: { country } } },
      );
    await sell(berlin, 'DE');
    await sell(lima, 'PE');
    const read = async (client: typeof berlin) =>
      (await client.graphql('{ exchangeRates { day source rates { currency rate } } }')).exchangeRates;
    const work = async (minutes: number) => {
      nowMs += minutes * 60_000;
      await runDueWork(app!.service, log);
    };
    await work(0);
    expect([asked, await read(berlin)]).toEqual([1, []]);
    body = 'nonsense';
    await work(0);
    expect(asked).toBe(1);
    await work(1);
    expect([asked, await read(berlin)]).toEqual([2, []]);
    body = xml(day('2026-11-26', '1.1642'));
    await work(2);
    expect([asked, await read(lima)]).toEqual([3, []]);
    expect(await read(berlin)).toEqual([
      {
        day: '2026-11-26',
        source: 'ecb',
        rates: [
          { currency: 'pln', rate: '4.2512' },
          { currency: 'usd', rate: '1.1642' },
        ],
      },
    ]);
    await work(30);
    expect(asked).toBe(3);
    body = xml(day('2026-11-27', '1.2'), day('2026-11-26', '9'));
    await work(60 * 24);
    expect((await read(berlin)).map((each: any) => [each.day, each.rates[1].rate])).toEqual([
      ['2026-11-27', '1.2'],
      ['2026-11-26', '1.1642'],
    ]);
  });
});

/** A report has the same figures from the sums of days and from the documents, whatever changed since. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuildTaxSums, sumTaxes } from '../../../src/insights/tax/sumTaxes.ts';
import { examine } from '../../../src/maintenance/doctor/doctor.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { openScope } from '../../support/books.ts';
import { ask } from '../../support/oneOff.ts';
import { openTaxed, parties } from '../../support/taxes.ts';
import { bill, countSums, credit, expectSummed, readReport, sumDays } from '../../support/taxReports.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' });
});
afterAll(() => app.close());

describe('the sums of days that are over', () => {
  it('have the figures of their documents in every time zone, and follow what is voided later', async () => {
    for (const zone of ['Asia/Kabul', 'America/New_York']) {
      const shop = await openTaxed(app, '2026-03-07T20:00:00.000Z', 'DE', zone);
      const customer = await shop.shop.customer();
      await shop.move(customer, parties['french']!);
      const invoices: any[] = [];
      for (let hour = 0; hour < 72; hour += 5) {
        await shop.advance(new Date(Date.UTC(2026, 2, 7, 21 + hour)).toISOString());
        invoices.push(await bill(shop, customer, 100));
      }
      expect(await countSums(app, shop)).toBe(0);
      await sumDays(app, shop);
      const summed = await countSums(app, shop);
      expect(summed).toBeGreaterThanOrEqual(4);
      await expectSummed(app, shop);
      await ask(shop, 'voidInvoice', { id: invoices[0].id });
      await credit(shop, invoices[1].id, 12);
      await expectSummed(app, shop);
      await shop.advance('2026-03-20');
      await sumDays(app, shop);
      expect(await countSums(app, shop)).toBeGreaterThan(summed);
      await expectSummed(app, shop);
    }
  });

  it('are made again by the first step after an invoice changed while they were', async () => {
    const shop = await openTaxed(app, '2026-01-01', 'DE');
    const first = await bill(shop, await shop.shop.customer(), 100);
    await shop.advance('2026-01-03');
    const tenant = await openScope(app, shop);
    // The invoice is voided when the step has read it, before it writes.
    const scan = tenant.scan.bind(tenant);
    let isVoided = false;
    tenant.scan = async (work) => {
      const read = await scan(work);
      if (!isVoided) await ask(shop, 'voidInvoice', { id: first.id });
      isVoided = true;
      return read;
    };
    expect(await sumTaxes(tenant)).toBe(true);
    expect((await tenant.read.one('taxProgress', {}))!.until).toBe('2026-01-01T00:00:00.000Z');
    await sumDays(app, shop);
    expect(await countSums(app, shop)).toBe(0);
    expect(await readReport(shop)).toMatchObject({ rows: [], totals: [] });
  });

  it('that differ from the invoices are reported, and made anew', async () => {
    const shop = await openTaxed(app, '2026-01-01', 'DE');
    await bill(shop, await shop.shop.customer(), 100);
    await shop.advance('2026-02-01');
    await sumDays(app, shop);
    const tenant = await openScope(app, shop);
    await tenant.write((unit) => unit.updateUntraced('taxSums', { kind: 'invoice' }, { taxMinor: 1n }));
    const examined = async () =>
      (await examine(app.service, () => {}, shop.alias)).findings.filter(({ check }) => check === 'tax_sums');
    expect((await examined()).map(({ found }) => found)).toEqual([
      expect.stringContaining(
        '1 documents, 10000 taxable, 1 tax, but its invoices have 1 documents, 10000 taxable, 1900 tax',
      ),
    ]);
    await rebuildTaxSums(tenant);
    expect(await examined()).toEqual([]);
    await expectSummed(app, shop);
  });
});

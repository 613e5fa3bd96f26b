/** The payment page of somebody who has a balance. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { openBooks } from '../../support/books.ts';
import { readText } from '../../support/pages.ts';
import { inject } from '../../support/world.ts';
import { payPath } from '../../support/payLinks.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ publicUrl: 'http://pay.test', rateLimitPerSecond: '10000' });
});
afterAll(() => app.close());

it.each([
  [
    50,
    ['Pro AFN 50.00', 'Paid from your balance −AFN 30.00', 'Due today AFN 20.00', 'Pay AFN 20.00'],
    [2000n],
  ],
  [30, ['Paid from your balance −AFN 30.00', 'Due today AFN 0.00', 'Pay with your balance'], []],
])('shows the part of %d that the balance pays, and charges the rest', async (amount, has, charged) => {
  const books = await openBooks(app, '2026-01-01');
  const customer = await books.shop.customer();
  const { id: groupId } = await books.shop.group({ prorateUpgrades: true });
  const recurring = { frequency: 'Yearly' };
  await books.subscribe(customer, await books.plan(130, { groupId, recurring }));
  await books.subscribe(customer, await books.plan(100, { groupId }));
  const { intentId } = await books.shop.intent(customer, await books.plan(amount));
  const page = await inject(app, { url: await payPath(app, intentId), headers: {} });
  for (const each of has) expect(readText(page.text)).toContain(each);
  const token = /name="token" value="([^"]+)"/.exec(page.text)![1]!;
  const answer = await inject(app, {
    method: 'POST',
    url: await payPath(app, intentId),
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'pay.test' },
    payload: new URLSearchParams({ token, method: 'sandbox_ok' }).toString(),
  });
  expect(answer.status).toBe(303);
  const payments = await app.service.store.committed.select('payments', { where: { intentId } });
  expect(payments.map(({ amountMinor }) => amountMinor)).toEqual(charged);
  expect(await books.credits(customer)).toEqual([0n]);
});

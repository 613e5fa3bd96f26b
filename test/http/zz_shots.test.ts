import { once } from 'node:events';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { it } from 'vitest';
import { startApp } from '../support/app.ts';
import { shopOf } from '../support/shop.ts';
it('shots', async () => {
  const app = await startApp();
  const client = await app.tenant({ alias: 'acme', name: 'Acme Bakery' });
  const shop = shopOf(client, 'acme');
  const base = await app.server.listen({ host: '127.0.0.1', port: 0 });
  const merchant = createServer((req, res) => {
    const port = merchant.address().port;
    if (req.url.startsWith('/moved')) res.writeHead(302, { location: `http://localhost:${port}/shop` }).end();
    else res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>The shop</h1>');
  });
  await once(merchant.listen(0, '127.0.0.1'), 'listening');
  const murl = `http://127.0.0.1:${merchant.address().port}`;
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const { id: groupId } = await shop.group({ prorateUpgrades: true });
  const basic = await shop.product({ groupId, name: 'Basic', amount: 100 });
  const pro = await shop.product({ groupId, name: 'Professional plan with a rather long name', amount: 300 });
  const c = await shop.customer();
  await shop.subscribe(c, basic.price);
  const up = await shop.intent(c, pro.price, { receiptUrl: `${murl}/moved`, returnUrl: `${murl}/x` });
  const one = await shop.product({ name: 'Daily bread' });
  const first = await shop.intent(await shop.customer(), one.price, { receiptUrl: `${murl}/moved` });
  const wide = { width: 1200, height: 900 }, small = { width: 375, height: 740 };
  for (const [name, viewport, colorScheme] of [["dark", small, "dark"], ["wide", wide, 'light'], ['small', small, 'light']] as const) {
    const page = await browser.newPage({ javaScriptEnabled: false, viewport, colorScheme });
    const shot = (n) => page.screenshot({ path: `/tmp/payshot/${n}-${name}.png`, fullPage: true });
    await page.goto(`${base}/pay/${first.intentId}`); await shot('first');
    await page.goto(`${base}/pay/${up.intentId}`); await shot('upgrade');
    await page.goto(`${base}/pay/int_1`); await shot('unknown');
    if (name === 'small') {
      await page.goto(`${base}/pay/${first.intentId}`);
      await page.getByRole('radio').nth(1).check(); await page.getByRole('button', { name: /^Pay/ }).click(); await shot('declined');
      await page.getByRole('radio').nth(4).check(); await page.getByRole('button', { name: /^Pay/ }).click(); await shot('transfer');
      await page.getByRole('button', { name: /^Cancel/ }).click(); await shot('ended');
    }
    if (name === "wide") {
      page.on('console', (m) => console.log('CONSOLE', m.text()));
      await page.goto(`${base}/pay/${up.intentId}`);
      await page.getByRole('button', { name: /^Pay/ }).click(); await page.waitForTimeout(1500);
      console.log('LANDED', page.url());
      await page.goto(`${base}/pay/${up.intentId}`); await shot('paid');
    }
    await page.close();
  }
  await browser.close(); merchant.closeAllConnections(); merchant.close(); await app.close();
}, 60000);

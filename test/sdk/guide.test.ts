/** The guide to the SDK, followed with the packed package in an empty folder. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { follow } from '../guides/guide.ts';
import { startApp } from '../support/app.ts';
import { listen } from '../support/follow.ts';
import { findInstalled, installSdk } from '../support/sdk.ts';

it('leads from an empty folder to a paid subscription', async () => {
  const app = await startApp();
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-guide-'));
  try {
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }');
    mkdirSync(path.join(folder, 'node_modules/@perennial'), { recursive: true });
    symlinkSync(findInstalled(installSdk()), path.join(folder, 'node_modules/@perennial/sdk'));
    const client = await app.tenant({ alias: 'shop', test: true });
    await follow('sdk.md', folder, { BILLING_URL: await listen(app), API_KEY: client.apiKey });
    const { subscriptions } = await client.graphql('{ subscriptions { nodes { cancelAtPeriodEnd } } }');
    expect(subscriptions.nodes).toEqual([{ cancelAtPeriodEnd: true }]);
  } finally {
    rmSync(folder, { recursive: true });
    await app.close();
  }
});

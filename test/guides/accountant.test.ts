/** The guide for accountants, followed as a reader does. */
import { expect, it } from 'vitest';
import { createDemo } from '../../src/cli/demo.ts';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startApp } from '../support/app.ts';
import { readDatevFile } from '../support/datevFile.ts';
import { listen } from '../support/follow.ts';
import { freePort } from '../support/ports.ts';
import { emptyFolder, follow } from './guide.ts';

it('the guide for accountants works', async () => {
  const port = await freePort();
  const app = await startApp({ publicUrl: `http://127.0.0.1:${port}` });
  const folder = emptyFolder();
  try {
    const url = await listen(app, port);
    const quiet = { progress: { show: () => {}, end: () => {} }, isStopping: () => false };
    const apiKey = (await createDemo(app.service, { contents: 'catalog', ...quiet }))!;
    await follow('accountant.md', folder.path, { BILLING_URL: url, API_KEY: apiKey });
    const file = path.join(folder.path, 'EXTF_Buchungsstapel_2026-01-01_2026-03-31.csv');
    expect(readDatevFile(readFileSync(file)).head[10]).toBe('29098');
  } finally {
    folder.remove();
    await app.close();
  }
});

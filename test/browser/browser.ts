/** A real browser for the tests: the one of the packages, or where its libraries are missing, that of the system. */
import { existsSync } from 'node:fs';
import packaged from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Its executable is unpacked once for all tests. */
export const browserStartMs = 120_000;

/** Starts a browser. Throws if none starts: tests of pages are never skipped. */
export async function launchBrowser(): Promise<Browser> {
  const failures: string[] = [];
  for (const find of [() => packaged.executablePath(), ...installed.map((path) => () => path)]) {
    try {
      const executablePath = await find();
      if (!existsSync(executablePath)) throw new Error(`${executablePath} does not exist`);
      return await chromium.launch({
        executablePath,
        // Root has no sandbox, and containers little shared memory.
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      });
    } catch (error) {
      failures.push(String(error).split('\n')[0]!);
    }
  }
  throw new Error(`No browser starts. Install Debian's chromium.\n${failures.join('\n')}`);
}

/** One real browser for all tests of a run: that of the packages, or where its libraries are missing, that of the system. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import packaged from '@sparticuz/chromium';
import { chromium, type BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the address of the run's browser, which the first request starts. */
    browserUrl: string;
  }
}

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Offers a browser to the tests. It starts when the first of them asks for it, and ends with the run. */
export default async function offerBrowser(project: TestProject) {
  let starting: Promise<BrowserServer> | undefined;
  const server = createServer((_, response) => {
    starting ??= startBrowser();
    starting.then(
      (browser) => response.end(browser.wsEndpoint()),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  project.provide('browserUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    const browser = await starting?.catch(() => undefined);
    await browser?.close();
  };
}

/** Throws if no browser starts: tests of pages are never skipped. */
async function startBrowser(): Promise<BrowserServer> {
  const failures: string[] = [];
  for (const find of [() => packaged.executablePath(), ...installed.map((path) => () => path)]) {
    try {
      const executablePath = await find();
      if (!existsSync(executablePath)) throw new Error(`${executablePath} does not exist`);
      return await chromium.launchServer({
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

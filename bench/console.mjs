// `npm run bench -- console [--customers 100000]`: how smoothly a long list of the console scrolls in a real browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import packaged from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import { bundle } from '../scripts/build/bundle.mjs';
import { ensureBuilt } from '../scripts/setup.mjs';
import { freePort } from './parts/servers/processes.mjs';

const { values } = parseArgs({
  options: { customers: { type: 'string', default: '100000' }, loaded: { type: 'string', default: '20000' } },
});
ensureBuilt();
const worker = await bundle('bench/parts/console/worker.mjs');
const port = await freePort();
const child = spawn(process.execPath, [worker, values.customers, port], { stdio: ['ignore', 2, 2, 'ipc'] });
const [{ link }] = await once(child, 'message');
const browser = await chromium.launch({
  executablePath: await packaged.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, locale: 'en' });
await page.goto(link);
await page.getByRole('button', { name: 'Open the console with this link' }).click();
await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
const list = `http://localhost:${port}/console/t/acme/customers`;
await page.goto(list);
await page.locator('tr[data-row]').first().waitFor();

/** Scrolls for a number of frames. Returns the time of each, the long tasks, and the processor time of scripts and layout. */
async function scroll(frames, pixels) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const read = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const before = await read();
  const { frameMs, taskMs } = await page.evaluate(
    ([count, step]) =>
      new Promise((resolve) => {
        const frame = document.querySelector('.data-table');
        const [times, long] = [[], []];
        const observer = new PerformanceObserver((found) =>
          long.push(...found.getEntries().map(({ duration }) => duration)),
        );
        observer.observe({ type: 'longtask' });
        let last;
        const next = (now) => {
          if (last !== undefined) times.push(now - last);
          last = now;
          frame.scrollTop += step;
          if (times.length < count) requestAnimationFrame(next);
          else resolve({ frameMs: times, taskMs: long });
        };
        requestAnimationFrame(next);
      }),
    [frames, pixels],
  );
  const after = await read();
  const perFrame = (name) => ((after[name] - before[name]) * 1000) / frames;
  const sorted = frameMs.toSorted((one, other) => one - other);
  const late = frameMs.filter((time) => time > 20).length / frames;
  return {
    'frames per second': 1000 / (frameMs.reduce((sum, time) => sum + time, 0) / frames),
    'median ms': sorted[Math.floor(frames / 2)],
    'late %': late * 100,
    'long tasks': taskMs.length,
    'script ms': perFrame('ScriptDuration'),
    'layout ms': perFrame('LayoutDuration'),
    'style ms': perFrame('RecalcStyleDuration'),
    'MiB of scripts': after.JSHeapUsedSize / 2 ** 20,
  };
}

const tables = {};
const note = async (name, frames, pixels) => {
  const figures = await scroll(frames, pixels);
  tables[name] = Object.fromEntries(
    Object.entries(figures).map(([key, value]) => [key, Number(value.toFixed(1))]),
  );
};
/** Until so many rows are loaded, by the end of the list each time. */
async function load(rows) {
  const begunAt = performance.now();
  await page.waitForFunction(
    (wanted) => {
      const frame = document.querySelector('.data-table');
      frame.scrollTop = frame.scrollHeight;
      return frame.scrollHeight > wanted * 37;
    },
    rows,
    { timeout: 600_000, polling: 'raf' },
  );
  return performance.now() - begunAt;
}
const timed = async (work) => {
  const begunAt = performance.now();
  await work();
  return Math.round(performance.now() - begunAt);
};

await note('first rows, 2 rows a frame', 300, 74);
const took = await load(Number(values.loaded));
await page.evaluate(() => document.querySelector('.data-table').scrollTo(0, 37 * 100));
await note(`among ${values.loaded} loaded, 2 rows a frame`, 300, 74);
await note('20 rows a frame', 300, 740);
console.table(tables);
const steps = {
  [`load ${values.loaded} rows by scrolling to the end`]: Math.round(took),
  'turn the list around': await timed(async () => {
    await page.getByRole('button', { name: 'Newest first' }).click();
    await page.getByText('Lovelace 0', { exact: false }).first().waitFor();
  }),
  'filter by e-mail': await timed(async () => {
    await page.getByPlaceholder('E-mail').fill(`ada-${Number(values.customers) - 1}@example.com`);
    await page.getByText(`Ada Lovelace ${Number(values.customers) - 1}`).waitFor();
  }),
};
console.table(steps);
await browser.close();
child.kill();

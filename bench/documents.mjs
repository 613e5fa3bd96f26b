// `node bench/documents.mjs [--documents 1000] [--seconds 10]`: how many PDFs of one page are rendered in a second, and
// in how much memory, beside pdfkit alone with the same text (a tenth as many, because it parses its fonts for each
// document); and how long requests wait while PDFs are rendered.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { parseArgs } from 'node:util';
import { bundle } from '../scripts/build/bundle.mjs';
import { buildDocuments } from '../scripts/build/documents.mjs';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
  },
});
const documents = Number(values.documents);
const seconds = Number(values.seconds);

await buildDocuments();
const worker = await bundle('bench/parts/documents/worker.mjs');

console.log(`${documents} invoices of one page\n`);
for (const [way, count] of [
  ['perennial', documents],
  ['pdfkit', Math.ceil(documents / 10)],
]) {
  const { rate, megabytes, kilobytes } = await runAlone(way, count);
  console.log(
    `${way.padEnd(10)} ${rate.toFixed(1)} per second, ${megabytes.toFixed(0)} MB, ${kilobytes.toFixed(1)} KB each`,
  );
}
console.log(`\nGET /api/v1/customers, 8 connections, ${seconds} s`);
await measureReads();

/** Renders documents in a process of its own. */
async function runAlone(way, count) {
  const child = start(count, way);
  const [result] = await once(child, 'message');
  child.kill();
  return result;
}

function start(count, way) {
  return spawn(process.execPath, [worker, String(count), way], { stdio: ['ignore', 2, 2, 'ipc'] });
}

async function measureReads() {
  const child = start(0, 'serve');
  const [{ port, apiKey }] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true });
  const read = () => readOnce(agent, port, apiKey);
  await readFor(read, 2);
  report('without PDFs', await readFor(read, seconds));
  child.send('render');
  await once(child, 'message');
  const beside = await readFor(read, seconds);
  child.send('stop');
  const [{ rendered }] = await once(child, 'message');
  report('beside PDFs', beside, `, ${(rendered / seconds).toFixed(1)} PDFs per second`);
  agent.destroy();
  child.kill();
}

function report(name, durations, suffix = '') {
  const sorted = durations.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
  const rate = (durations.length / seconds).toFixed(0);
  console.log(
    `${name.padEnd(14)} ${rate} per second, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.99999)} ms${suffix}`,
  );
}

async function readFor(read, duration) {
  const until = performance.now() + duration * 1000;
  const durations = [];
  const readOn = async () => {
    while (performance.now() < until) {
      const begunAt = performance.now();
      await read();
      durations.push(performance.now() - begunAt);
    }
  };
  await Promise.all(Array.from({ length: 8 }, readOn));
  return durations;
}

function readOnce(agent, port, apiKey) {
  return new Promise((resolve, reject) => {
    const headers = { 'api-key': apiKey };
    get({ agent, port, path: '/api/v1/customers?limit=10', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`Status ${response.statusCode}`));
      response.resume().on('end', resolve);
    }).on('error', reject);
  });
}

// Renders documents in one of three ways: as the program does, with pdfkit alone, or beside a server that is read.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PdfDocument from 'pdfkit';
import { createApp } from '../../../src/app/app.ts';
import { createPdfRenderer } from '../../../src/documents/pdfRenderer.ts';
import { buildView } from '../../../src/documents/view.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createKey } from '../../../src/tenancy/apiKeys.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { plainRecord } from '../../../test/documents/records.ts';

const [count, way] = [Number(process.argv[2]), process.argv[3]];

/** Documents that wait for the thread at a time. */
const together = 4;

const nameRecord = (index) => ({ ...plainRecord, number: `RE-2026-${String(index).padStart(5, '0')}` });

async function renderAll(render, isOver) {
  let next = 0;
  let bytes = 0;
  const renderOn = async () => {
    while (!isOver(next)) {
      const { length } = await render(nameRecord(next++));
      bytes += length;
    }
  };
  await Promise.all(Array.from({ length: together }, renderOn));
  return { rendered: next, bytes };
}

async function measure(render) {
  await renderAll(render, (index) => index === 20);
  const begunAt = performance.now();
  const { bytes } = await renderAll(render, (index) => index === count);
  const rate = (count / (performance.now() - begunAt)) * 1000;
  const { maxRSS } = process.resourceUsage();
  process.send({ rate, megabytes: maxRSS / 1024, kilobytes: bytes / count / 1024 });
}

/** Draws the same text with pdfkit, as its guide shows: no tags, no layout, standard font size. */
async function renderPlainly(record) {
  const document = new PdfDocument({ size: 'A4', font: 'dist/documents/latin.ttf' });
  const chunks = [];
  document.on('data', (chunk) => chunks.push(chunk));
  const ended = new Promise((resolve) => document.on('end', resolve));
  for (const text of listTexts(buildView(record))) document.fontSize(9.5).text(text);
  const { image } = buildView(record).payment.code;
  document.save().translate(400, 600).path(image.path).fill('black').restore();
  document.font('dist/documents/latin-strong.ttf').text(record.number);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Lists all texts of a view. */
function listTexts({ facts, seller, buyer, summary, table, totals, payment, footer }) {
  const lines = table.lines.flatMap((line) => [
    line.description,
    ...line.details,
    line.quantity,
    line.unitPrice,
    line.tax,
    line.amount,
  ]);
  return [
    ...facts.flatMap(({ label, value }) => [label, value]),
    ...[seller, buyer].flatMap((party) => [party.title, party.name, ...party.lines]),
    summary,
    ...lines,
    ...totals.flatMap(({ label, amount }) => [label, amount]),
    payment.sentence,
    ...payment.facts.flatMap(({ label, value }) => [label, value]),
    footer,
  ].map((text) => text.replace(/[\u2068\u2069]/g, ''));
}

async function serve() {
  const folder = mkdtempSync(path.join(tmpdir(), 'perennial-documents-'));
  const database = `sqlite:${path.join(folder, 'bench.db')}`;
  const app = await createApp(
    readConfig({ database, logLevel: 'silent', rateLimitPerSecond: '1000000' }, {}),
  );
  await createTenant(app.service, { alias: 'acme' });
  const { apiKey } = await createKey(app.service, { tenant: 'acme', scope: 'write' });
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.server.address();
  const headers = { 'api-key': apiKey };
  for (let index = 0; index < 50; index++) {
    const payload = {
      tenantAlias: 'acme',
      associatedId: `c${index}`,
      firstname: 'Ada',
      lastname: `Number ${index}`,
      email: `ada${index}@example.com`,
    };
    await app.server.inject({ method: 'POST', url: '/api/v1/customers', headers, payload });
  }
  process.send({ port, apiKey });
  const renderer = createPdfRenderer();
  let isOver = false;
  process.on('message', (message) => {
    if (message === 'stop') isOver = true;
    else void renderUntilStopped();
  });
  const renderUntilStopped = async () => {
    const render = (record) => renderer.render({ record });
    await renderAll(render, (index) => index === 20);
    process.send({ isRendering: true });
    const { rendered } = await renderAll(render, () => isOver);
    process.send({ rendered });
  };
}

if (way === 'perennial') {
  const renderer = createPdfRenderer();
  await measure((record) => renderer.render({ record }));
} else if (way === 'pdfkit') await measure(renderPlainly);
else await serve();

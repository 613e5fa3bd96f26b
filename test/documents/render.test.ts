/** Documents as files: their names and types, and the thread that renders PDFs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPdfRenderer } from '../../src/documents/pdfRenderer.ts';
import { documentFormats, type DocumentRecord } from '../../src/documents/record.ts';
import { createDocumentRenderer } from '../../src/documents/render.ts';
import { isLong } from '../support/sample.ts';
import { buildDocuments, readPdf } from './pdfFile.ts';
import { creditNote, persian, plainRecord, withLines } from './records.ts';

beforeAll(() => buildDocuments());

const documents = createDocumentRenderer();
const renderDocument = documents.render;
afterAll(() => documents.close());

// Takes far longer to render than the limit below.
const longLines = isLong ? 500 : 60;
const long = withLines(
  Array.from({ length: longLines }, (_, index) => ({ description: `Service ${index}` })),
);

describe('files', () => {
  it.each([
    ['html', 'text/html; charset=utf-8', 'RE-2026-00042.html', '<!doctype html>'],
    ['pdf', 'application/pdf', 'RE-2026-00042.pdf', '%PDF-1.7'],
    ['ubl', 'application/xml', 'RE-2026-00042-ubl.xml', '<?xml'],
    ['cii', 'application/xml', 'RE-2026-00042-cii.xml', '<?xml'],
    ['factur_x', 'application/pdf', 'RE-2026-00042-factur-x.pdf', '%PDF-1.7'],
    ['json', 'application/json', 'RE-2026-00042.json', '{'],
  ] as const)('%s', async (format, contentType, fileName, beginning) => {
    const file = await renderDocument(plainRecord, format);
    expect(file).toMatchObject({ contentType, fileName });
    expect(file.bytes.toString('latin1').startsWith(beginning)).toBe(true);
    const again = await renderDocument(structuredClone(plainRecord), format);
    expect(again.bytes.equals(file.bytes)).toBe(true);
  });

  it.each(documentFormats)('%s of other records differ', async (format) => {
    const files = [];
    for (const record of [plainRecord, creditNote, persian]) files.push(await renderDocument(record, format));
    expect(new Set(files.map(({ bytes }) => bytes.toString('base64'))).size).toBe(3);
  });

  it('Factur-X contains the invoice in the syntax CII', async () => {
    const { document } = await readPdf((await renderDocument(plainRecord, 'factur_x')).bytes);
    const attached = (await document.getAttachments())['factur-x.xml'].content as Uint8Array;
    expect(Buffer.from(attached).equals((await renderDocument(plainRecord, 'cii')).bytes)).toBe(true);
  });

  it.each([
    ['../../etc/passwd', 'etc-passwd.html'],
    ['RE/2026\\7"\r\nX: y', 'RE-2026-7-X-y.html'],
    ['...', 'invoice.html'],
    ['شماره', 'invoice.html'],
    ['é'.repeat(500), `${'e-'.repeat(40)}.html`],
  ])('the number %j is part of the name %s', async (number, fileName) => {
    expect((await renderDocument({ ...plainRecord, number }, 'html')).fileName).toBe(fileName);
  });
});

describe('the thread', () => {
  const unavailable = { reason: 'unavailable' };

  it('renders one after another, each its own document', async () => {
    const renderer = createPdfRenderer();
    const records = Array.from({ length: isLong ? 30 : 4 }, (_, index) => ({
      ...plainRecord,
      number: `N-${index}`,
    }));
    const files = await Promise.all(records.map((record) => renderer.render({ record })));
    const titles = await Promise.all(files.map(async (bytes) => (await readPdf(bytes)).pages[0]));
    for (const [index, text] of titles.entries()) expect(text).toMatch(new RegExp(`N-${index}\\D`));
    await renderer.close();
  });

  it('refuses more than its queue holds', async () => {
    const renderer = createPdfRenderer({ largestQueue: 2 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => renderer.render({ record: plainRecord })),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(7);
    for (const { reason } of refused) expect(reason).toMatchObject(unavailable);
    await renderer.close();
  });

  it('gives up what takes too long, and renders the next', async () => {
    const renderer = createPdfRenderer({ limitMs: 5 });
    await expect(renderer.render({ record: long })).rejects.toMatchObject(unavailable);
    await expect(renderer.render({ record: long })).rejects.toMatchObject(unavailable);
    await renderer.close();
    const patient = createPdfRenderer();
    expect((await patient.render({ record: long })).length).toBeGreaterThan(longLines * 200);
    await patient.close();
  });

  it('reports a record that it cannot render, and renders the next', async () => {
    const renderer = createPdfRenderer();
    const broken = { ...plainRecord, lines: null } as unknown as DocumentRecord;
    const [failed, next] = await Promise.allSettled([
      renderer.render({ record: broken }),
      renderer.render({ record: plainRecord }),
    ]);
    expect(failed).toMatchObject({
      status: 'rejected',
      reason: { message: /A document was not rendered: TypeError/ },
    });
    expect(next.status).toBe('fulfilled');
    await renderer.close();
  });

  it('starts again after it has ended for lack of memory', async () => {
    const renderer = createPdfRenderer({ largestHeapMb: 24 });
    const huge = withLines(Array.from({ length: 20_000 }, () => ({ details: ['x'.repeat(50)] })));
    const [failed, next] = await Promise.allSettled([
      renderer.render({ record: huge }),
      renderer.render({ record: plainRecord }),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: unavailable });
    expect(next.status).toBe('fulfilled');
    await renderer.close();
  });

  it('ends when it has no work, and starts again', async () => {
    const renderer = createPdfRenderer({ idleMs: 1 });
    const first = await renderer.render({ record: plainRecord });
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    expect((await renderer.render({ record: plainRecord })).equals(first)).toBe(true);
    await renderer.close();
  });

  it('refuses what waits when it is closed', async () => {
    const renderer = createPdfRenderer();
    const outcomes = Promise.allSettled([
      renderer.render({ record: long }),
      renderer.render({ record: long }),
    ]);
    await renderer.close();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable });
  });
});

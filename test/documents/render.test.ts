/** Documents as files: their names and types, and the thread that renders PDFs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentFormats } from '../../src/documents/record.ts';
import { createDocumentRenderer } from '../../src/documents/render.ts';
import { buildDocuments, readPdf } from './pdfFile.ts';
import { creditNote, persian, plainRecord } from './records.ts';

beforeAll(() => buildDocuments());

const documents = createDocumentRenderer();
const renderDocument = documents.render;
afterAll(() => documents.close());

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

/** Documents as files, in all their formats. */
import { renderCii } from './cii.ts';
import { renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { createPdfRenderer, type PdfRenderer } from './pdfRenderer.ts';
import { france, peppol, xrechnung } from './profiles.ts';
import { addReadableNotes } from './profileTerms.ts';
import type { DocumentFile, DocumentFormat, DocumentRecord } from './record.ts';
import { renderUbl } from './ubl.ts';

interface Format {
  contentType: string;
  /** The end of the file's name. */
  suffix: string;
  render: (record: DocumentRecord, pdf: PdfRenderer) => string | Promise<Buffer>;
}

const formats: Record<DocumentFormat, Format> = {
  html: { contentType: 'text/html; charset=utf-8', suffix: '.html', render: renderHtml },
  pdf: { contentType: 'application/pdf', suffix: '.pdf', render: (record, pdf) => pdf.render({ record }) },
  ubl: { contentType: 'application/xml', suffix: '-ubl.xml', render: (record) => renderUbl(record) },
  cii: { contentType: 'application/xml', suffix: '-cii.xml', render: (record) => renderCii(record) },
  xrechnung: {
    contentType: 'application/xml',
    suffix: '-xrechnung.xml',
    render: (record) => renderUbl(record, xrechnung),
  },
  xrechnung_cii: {
    contentType: 'application/xml',
    suffix: '-xrechnung-cii.xml',
    render: (record) => renderCii(record, xrechnung),
  },
  peppol_bis_3: {
    contentType: 'application/xml',
    suffix: '-peppol.xml',
    render: (record) => renderUbl(record, peppol),
  },
  factur_x: {
    contentType: 'application/pdf',
    suffix: '-factur-x.pdf',
    render: (record, pdf) => pdf.render({ record, attachedXml: renderCii(record) }),
  },
  factur_x_fr: {
    contentType: 'application/pdf',
    suffix: '-factur-x.pdf',
    render: (record, pdf) =>
      pdf.render({ record: addReadableNotes(record, france), attachedXml: renderCii(record, france) }),
  },
  ubl_fr: {
    contentType: 'application/xml',
    suffix: '-ubl-fr.xml',
    render: (record) => renderUbl(record, france),
  },
  json: { contentType: 'application/json', suffix: '.json', render: renderJson },
};

export interface DocumentRenderer {
  /**
   * Renders a document from its record: the same bytes each time. Error: `unavailable` if too many PDFs wait, or one
   * takes too long.
   */
  render: (record: DocumentRecord, format: DocumentFormat) => Promise<DocumentFile>;
  /** Ends the thread of the PDFs. */
  close: () => Promise<void>;
}

/** Creates a renderer of documents. Its thread for PDFs starts with the first one, and ends when there are no more. */
export function createDocumentRenderer(): DocumentRenderer {
  const pdf = createPdfRenderer();
  return {
    render: (record, format) => renderDocument(record, format, pdf),
    close: () => pdf.close(),
  };
}

async function renderDocument(
  record: DocumentRecord,
  format: DocumentFormat,
  pdf: PdfRenderer,
): Promise<DocumentFile> {
  const { contentType, suffix, render } = formats[format];
  const content = await render(record, pdf);
  return {
    contentType,
    fileName: `${buildBaseName(record)}${suffix}`,
    bytes: typeof content === 'string' ? Buffer.from(content, 'utf8') : content,
  };
}

const longestName = 80;

/** Returns the number with the characters that every file system and header allows. */
function buildBaseName({ number, kind }: DocumentRecord): string {
  const safe = number
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, longestName);
  return safe || kind.replace('_', '-');
}

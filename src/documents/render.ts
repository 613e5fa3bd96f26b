/** Documents as files, in all their formats. */
import { renderCii } from './cii.ts';
import { renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { createPdfRenderer } from './pdfRenderer.ts';
import type { DocumentFile, DocumentFormat, DocumentRecord } from './record.ts';
import { renderUbl } from './ubl.ts';

interface Format {
  contentType: string;
  /** The end of the file's name. */
  suffix: string;
  render: (record: DocumentRecord) => string | Promise<Buffer>;
}

/** Starts its thread with the first document, and ends it when there are no more. */
const pdfRenderer = createPdfRenderer();

const formats: Record<DocumentFormat, Format> = {
  html: { contentType: 'text/html; charset=utf-8', suffix: '.html', render: renderHtml },
  pdf: { contentType: 'application/pdf', suffix: '.pdf', render: (record) => pdfRenderer.render({ record }) },
  ubl: { contentType: 'application/xml', suffix: '-ubl.xml', render: renderUbl },
  cii: { contentType: 'application/xml', suffix: '-cii.xml', render: renderCii },
  factur_x: {
    contentType: 'application/pdf',
    suffix: '-factur-x.pdf',
    render: (record) => pdfRenderer.render({ record, attachedXml: renderCii(record) }),
  },
  json: { contentType: 'application/json', suffix: '.json', render: renderJson },
};

/**
 * Renders a document from its record: the same bytes each time. PDFs are rendered in a thread. Error: `unavailable` if
 * too many PDFs wait, or one takes too long.
 */
export async function renderDocument(record: DocumentRecord, format: DocumentFormat): Promise<DocumentFile> {
  const { contentType, suffix, render } = formats[format];
  const content = await render(record);
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

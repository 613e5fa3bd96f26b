/** Renders PDFs as the program does, in a thread, and reads them back. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

const root = path.join(import.meta.dirname, '../..');

let areBuilt = false;

/** Builds the thread's program and fonts from the present sources, once for the files of one worker. */
export function buildDocuments(): void {
  if (areBuilt) return;
  execFileSync(process.execPath, ['scripts/build/documents.mjs'], { cwd: root });
  areBuilt = true;
}

export interface PdfFile {
  document: PDFDocumentProxy;
  /** The text of each page: the parts from top to bottom, from left to right. */
  pages: string[];
  /** The file's objects, which pdfkit writes without compressing them, as Latin-1. */
  objects: string;
  metadata: string;
}

/** Reads a file. */
export async function readPdf(bytes: Buffer): Promise<PdfFile> {
  const document = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const pages: string[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    pages.push(items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''));
  }
  const objects = bytes.toString('latin1');
  const metadata = Buffer.from(/<\?xpacket begin[\s\S]*?<\?xpacket end="w"\?>/.exec(objects)![0], 'latin1');
  return { document, pages, objects, metadata: metadata.toString('utf8') };
}

/** Returns the dictionary of an object by its number. */
export const readObject = (objects: string, number: string): string =>
  new RegExp(`(?:^|\\n)${number} 0 obj\\n([\\s\\S]*?)\\n(?:stream\\n|endobj)`).exec(objects)![1]!;

/** Returns the content of a stream by the number of its object. */
export function readStream(bytes: Buffer, number: string): Buffer {
  const text = bytes.toString('latin1');
  const begin =
    text.indexOf('stream\n', text.search(new RegExp(`\\n${number} 0 obj\\n`))) + 'stream\n'.length;
  const content = bytes.subarray(begin, text.indexOf('\nendstream', begin));
  return content[0] === 0x78 ? inflateSync(content) : content;
}

interface StructureNode {
  role?: string;
  children?: StructureNode[];
}

/** Returns the names of the elements of a page's structure, in order. */
export async function listRoles({ document }: PdfFile, page: number): Promise<string[]> {
  const tree = (await (await document.getPage(page)).getStructTree()) as StructureNode | null;
  const list = ({ role, children = [] }: StructureNode): string[] => [
    ...(role ? [role] : []),
    ...children.flatMap(list),
  ];
  return tree ? list(tree) : [];
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Returns the texts that the file states for parts whose glyphs are in another order, in the order of the file. */
export function listActualTexts(bytes: Buffer): string[] {
  const objects = bytes.toString('latin1');
  return [...objects.matchAll(/\/Contents (\d+) 0 R/g)].flatMap(([, number]) =>
    Array.from(
      readStream(bytes, number!)
        .toString('latin1')
        .matchAll(/\/ActualText \(((?:\\[\s\S]|[^\\)])*)\)/g),
      ([, escaped]) => {
        const text = escaped!.replace(
          /\\([\s\S])/g,
          (_, character: string) => escapes[character] ?? character,
        );
        return text.startsWith('\u00FE\u00FF')
          ? Buffer.from(text.slice(2), 'latin1').swap16().toString('utf16le')
          : text;
      },
    ),
  );
}

/** The program of the thread that renders PDFs. It is bundled by itself, with pdfkit, which the server does not load. */
import { parentPort, workerData } from 'node:worker_threads';
import * as pdfkit from 'pdfkit';
import type { PdfAssets, ScriptFontFiles } from '../assets.ts';
import type { DocumentRecord } from '../record.ts';
import type { ScriptFont } from '../scriptFonts.ts';
import { createFontLibrary, type FontLibrary } from './fonts.ts';
import { renderPdf } from './renderPdf.ts';

/** A document to render. `attachedXml` makes it a Factur-X document. */
export interface PdfJob {
  record: DocumentRecord;
  attachedXml?: string;
}

/** A job with the fonts that it needs besides the common ones, and the files of those that the thread does not have yet. */
export interface PdfTask extends PdfJob {
  scriptFonts: ScriptFont[];
  newFonts: Partial<Record<ScriptFont, ScriptFontFiles>>;
}

/** The file, or why it could not be rendered. */
export type PdfOutcome = { bytes: Uint8Array } | { message: string };

/** Where pdfkit looks for the colour profile: the build places the library in this folder. */
const colorProfilePath = 'file:///pdfkit/data/sRGB_IEC61966_2_1.icc';

const { fonts, colorProfile } = workerData as Omit<PdfAssets, 'program'>;
(pdfkit as unknown as { registerFile(path: string, content: Uint8Array): void }).registerFile(
  colorProfilePath,
  colorProfile,
);
listen(createFontLibrary(fonts));

function listen(library: FontLibrary): void {
  parentPort!.on('message', (task: PdfTask) => void perform(task, library));
}

async function perform(
  { record, attachedXml, scriptFonts, newFonts }: PdfTask,
  library: FontLibrary,
): Promise<void> {
  try {
    library.add(newFonts);
    // This memory belongs to no pool of buffers, so it can move to the server's thread.
    const bytes = new Uint8Array(await renderPdf(record, library.choose(scriptFonts), attachedXml));
    respond({ bytes }, [bytes.buffer]);
  } catch (error) {
    respond({ message: (error as Error).stack ?? String(error) });
  }
}

function respond(outcome: PdfOutcome, moved: ArrayBuffer[] = []): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  parentPort!.postMessage(outcome, moved);
}

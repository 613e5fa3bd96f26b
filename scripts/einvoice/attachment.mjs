// Reads the XML that a Factur-X PDF carries.
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Returns the text of the one file that is attached to a PDF. */
export async function readAttachedXml(bytes) {
  const loading = getDocument({ data: new Uint8Array(bytes), verbosity: 0 });
  const document = await loading.promise;
  const [file] = Object.values((await document.getAttachments()) ?? {});
  await loading.destroy();
  if (!file) throw new Error('The PDF has no attachment.');
  return Buffer.from(file.content).toString('utf8');
}

import type { DocumentFile, DocumentFormat, DocumentRecord } from './record.ts';
export const renderDocument = async (
  record: DocumentRecord,
  format: DocumentFormat,
): Promise<DocumentFile> => ({
  contentType: 'application/json',
  fileName: `${record.number}.${format}`,
  bytes: Buffer.from(JSON.stringify(record)),
});

import { useState } from 'react';
import { useClient, type TypedDocumentNode } from 'urql';
import { saveFile } from '../data/csv.ts';
import { readProblem } from '../data/errors.ts';
import { formatNames } from './eInvoiceFormats.ts';
import { Menu } from '../design/Menu.tsx';
import { useToast } from '../design/Toasts.tsx';
import { useProblemWords } from '../texts/problems.ts';

/** The formats of a document and their names, which are the same in all languages. */
const formats = {
  pdf: 'PDF',
  ...formatNames,
  html: 'HTML',
  json: 'JSON',
} as const;

export type DocumentFormat = keyof typeof formats;

interface DocumentFile {
  base64: string;
  contentType: string;
  fileName: string;
}

interface DocumentMenuProps<Data> {
  label: string;
  id: string;
  document: TypedDocumentNode<Data, { id: string; format: DocumentFormat }>;
  pick: (data: Data) => DocumentFile | null | undefined;
}

/** Downloads the document of an invoice or a credit note. */
export function DocumentMenu<Data>({ label, id, document, pick }: DocumentMenuProps<Data>) {
  const client = useClient();
  const toast = useToast();
  const describe = useProblemWords();
  const [busy, setBusy] = useState(false);
  const download = async (format: DocumentFormat) => {
    setBusy(true);
    const { data, error } = await client
      .query(document, { id, format }, { requestPolicy: 'network-only' })
      .toPromise();
    setBusy(false);
    const file = data && pick(data);
    if (file) saveFile(new Blob([decode(file.base64)], { type: file.contentType }), file.fileName);
    else if (error) {
      const { title, detail } = describe(readProblem(error));
      toast([title, ...detail].join(' '));
    }
  };
  return (
    <Menu
      icon="download"
      busy={busy}
      entries={(Object.keys(formats) as DocumentFormat[]).map((format) => ({
        label: formats[format],
        onSelect: () => void download(format),
      }))}
    >
      {label}
    </Menu>
  );
}

const decode = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

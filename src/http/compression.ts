/** Compression of responses, in the encoding that the client prefers among those of the server. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** A smaller response fits into one packet anyway. */
const leastBytes = 1024;

// Higher qualities cost several times as much for a few per cent.
const brotliOptions = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
};
const gzipOptions = { level: 5 };

// In threads of Node's pool, beside the event loop.
const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, brotliOptions),
  gzip: (bytes) => promisify(gzip)(bytes, gzipOptions),
};

/** Whether an `Accept-Encoding` header names the encoding, and not with the weight 0. */
export function acceptsEncoding(header: string | undefined, encoding: string): boolean {
  const parts = (header ?? '').toLowerCase().split(',');
  return parts.some((part) => {
    const [name, weight] = part.split(';').map((each) => each.trim());
    return name === encoding && !/^q=0(\.0*)?$/.test(weight ?? '');
  });
}

/** Returns the encoding for a response of JSON; undefined if it is sent as it is. */
export function chooseEncoding(
  accepted: string | undefined,
  type: string,
  text: string,
): Encoding | undefined {
  // The number of characters is at most that of the bytes.
  if (accepted === undefined || text.length < leastBytes || !/json/.test(type)) return undefined;
  return (['br', 'gzip'] as const).find((encoding) => acceptsEncoding(accepted, encoding));
}

/** Compresses a text. */
export const compress = (text: string, encoding: Encoding): Promise<Buffer> =>
  compressors[encoding](Buffer.from(text));

/** What the response of an access point says about an e-invoice. Pure. */
import * as z from 'zod';
import { longestMessage } from '../../billing/invoices/eInvoices.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { PostOutcome } from '../webhooks/httpClient.ts';

/** The outcome of an attempt; `deferred` is tried again. */
export interface Answer {
  status: 'sent' | 'accepted' | 'rejected' | 'deferred';
  reference: string | null;
  message: string | null;
  /** Whether the access point refused the credentials or did not work, which has nothing to do with the document. */
  isFault: boolean;
}

/** Responses below 500 that say nothing about the document: the credentials, or the time. */
const faults: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429]);
/** The access point has the document already, by its key. */
const conflict = 409;

export const longestReference = 200;

const word = z.union([z.string(), z.number()]).transform(String);
const responseFields = z.object({
  reference: word.nullish().catch(null),
  id: word.nullish().catch(null),
  status: z.enum(['accepted', 'rejected']).nullish().catch(null),
  message: z.string().nullish().catch(null),
});

/**
 * Reads the response to an e-invoice. 2xx: the access point has taken it, and may accept or reject it at once by `status` in a JSON
 * object, with its `reference` and a `message`. 409: it has it already, and may say the same. Other responses from 400 to 499 reject it, except those
 * about credentials or time; these, responses from 500, and a missing response are tried again.
 */
export function readAnswer({ statusCode, error, text = '' }: PostOutcome): Answer {
  const { reference, id, status, message } = responseFields.parse(parseObject(text));
  const own = {
    reference: toLine(reference ?? id ?? '', longestReference),
    message: toLine(message ?? '', longestMessage),
  };
  if (statusCode === null || statusCode >= 500 || statusCode < 200 || faults.has(statusCode)) {
    return { status: 'deferred', reference: null, message: error, isFault: true };
  }
  if ((statusCode < 300 || statusCode === conflict) && status !== 'rejected')
    return { status: status === 'accepted' ? 'accepted' : 'sent', ...own, isFault: false };
  // A redirect is followed by nobody: the address is wrong.
  if (statusCode >= 300 && statusCode < 400)
    return { status: 'deferred', reference: null, message: error, isFault: true };
  const reason = own.message ?? toLine(text, longestMessage) ?? error;
  return { status: 'rejected', reference: own.reference, message: reason, isFault: false };
}

/** Returns a text in one line without control characters; null if nothing is left. */
export function toLine(text: string, most: number): string | null {
  const line = text.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
  return line === '' ? null : Array.from(line).slice(0, most).join('');
}

/** Returns the JSON object of a text; an empty one for any other text. */
function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

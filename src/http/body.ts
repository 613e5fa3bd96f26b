import { isUtf8 } from 'node:buffer';
import { refuse } from '../lib/errors.ts';
import { isTooDeep, mayHoldBadText, nestingLimit, refuseBadText } from '../lib/storableText.ts';
import { isJsonObject } from '../lib/json.ts';

export const bodyLimitBytes = 1024 * 1024;

/**
 * Parses the body of a request as a JSON object; an empty body is an empty object. Error: `validation_failed` for
 * invalid UTF-8, invalid JSON, a value that is not an object, nesting deeper than 64, and text that cannot be
 * stored.
 */
export function readJsonObject(bytes: Buffer | undefined): Record<string, unknown> {
  if (!bytes || bytes.length === 0) return {};
  const value = readJson(bytes);
  if (isJsonObject(value)) return value;
  return refuse('validation_failed', { path: 'body', message: 'must be a JSON object' });
}

/** Parses any JSON value. `path` names the field in errors. Error: `validation_failed`, as for `readJsonObject`. */
export function readJson(bytes: Buffer, path = 'body'): unknown {
  if (!isUtf8(bytes)) refuse('validation_failed', { path, message: 'must be UTF-8' });
  const text = bytes.toString('utf8');
  if (isTooDeep(text)) {
    refuse('validation_failed', { path, message: `must be nested at most ${nestingLimit} deep` });
  }
  const value = parse(text, path);
  if (mayHoldBadText(text)) refuseBadText(isJsonObject(value) ? value : { [path]: value });
  return value;
}

/**
 * Refuses a query string with percent-encoded bytes that are not UTF-8, which Fastify would pass on undecoded.
 * Error: `validation_failed`, naming the parameters.
 */
export function refuseBadEncoding(url: string): void {
  const start = url.indexOf('?');
  if (start < 0 || !url.includes('%', start)) return;
  const wrong = url
    .slice(start + 1)
    .split('&')
    .filter((parameter) => !isDecodable(parameter));
  if (wrong.length === 0) return;
  const message = 'must be percent-encoded UTF-8';
  refuse('validation_failed', ...wrong.map((each) => ({ path: each.split('=')[0] || 'query', message })));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('validation_failed', { path, message: 'must be JSON' });
  }
}

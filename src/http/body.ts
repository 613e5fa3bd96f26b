import { isUtf8 } from 'node:buffer';
import { refuse } from '../errors.ts';
import { mayHoldBadText, refuseBadText } from '../graphql/wellFormed.ts';

export const bodyLimitBytes = 1024 * 1024;

// JSON.parse reads any depth, JSON.stringify overflows the stack on the way back: so the depth is bounded first.
const nestingLimit = 64;

/**
 * The JSON object in a request's body; an empty body is an empty object.
 * Error: `validation_failed` for bytes that are not UTF-8, broken JSON, another value than an object,
 * nesting beyond 64, and text that cannot be kept.
 */
export function readJsonObject(bytes: Buffer | undefined): Record<string, unknown> {
  if (!bytes || bytes.length === 0) return {};
  const value = readJson(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  return refuse('validation_failed', { path: 'body', message: 'must be a JSON object' });
}

/** Any JSON value in a request's body, under the same conditions. */
export function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) refuse('validation_failed', { path: 'body', message: 'must be UTF-8' });
  const text = bytes.toString('utf8');
  if (isDeeper(text, nestingLimit)) {
    refuse('validation_failed', { path: 'body', message: `must be nested at most ${nestingLimit} deep` });
  }
  const value = parse(text);
  if (mayHoldBadText(text)) refuseBadText({ body: value });
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('validation_failed', { path: 'body', message: 'must be JSON' });
  }
}

/** Whether brackets outside of strings are ever open more than `limit` deep. */
function isDeeper(json: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index);
    if (inString) {
      if (unit === backslash) index++;
      else if (unit === quote) inString = false;
    } else if (unit === quote) inString = true;
    else if (unit === openBrace || unit === openBracket) {
      if (++depth > limit) return true;
    } else if (unit === closeBrace || unit === closeBracket) depth--;
  }
  return false;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [...'"\\{}[]'].map((each) =>
  each.charCodeAt(0),
) as [number, number, number, number, number, number];

/** Which JSON text can be stored and written back. */
import { maxIssues, refuse, type Issue } from './errors.ts';

// JSON.parse accepts any depth, but JSON.stringify overflows the stack when the value is written back.
export const nestingLimit = 64;

/**
 * Returns whether text can be stored: well-formed Unicode without NUL. PostgreSQL cannot store NUL, and a lone
 * surrogate has no UTF-8 encoding.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const suspicious = /\\u(?:0000|[dD][89a-fA-F])/;

/** Returns whether JSON text may contain NUL or a lone surrogate, which only an escape sequence can write. */
export const mayHoldBadText = (json: string): boolean => suspicious.test(json);

/** Refuses values with text that cannot be stored. Error: `validation_failed`, naming each field. */
export function refuseBadText(values: Record<string, unknown>): void {
  const issues: Issue[] = [];
  findBadText(values, '', issues);
  if (issues.length) refuse('validation_failed', ...issues);
}

function findBadText(value: unknown, path: string, issues: Issue[]): void {
  if (issues.length >= maxIssues) return;
  if (typeof value === 'string') {
    if (!isStorable(value)) issues.push({ path, message: 'must be well-formed Unicode without NUL' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    if (isStorable(key)) findBadText(member, at, issues);
    else
      issues.push({ path: path || 'body', message: 'has a key that is not well-formed Unicode without NUL' });
  }
}

/** Returns whether brackets outside of strings in JSON text are nested deeper than `nestingLimit`. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index);
    if (inString) {
      if (unit === backslash) index++;
      else if (unit === quote) inString = false;
    } else if (unit === quote) inString = true;
    else if (unit === openBrace || unit === openBracket) {
      if (++depth > nestingLimit) return true;
    } else if (unit === closeBrace || unit === closeBracket) depth--;
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

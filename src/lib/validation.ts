import * as z from 'zod';
import { isCountry } from './countries.ts';
import { BillingError, refuse, type Issue } from './errors.ts';
import { coded, findIssueCode, type CodedIssue } from './issueCodes.ts';
import { isTimeZone } from './time.ts';

/** Constraints on the fields of a request, beyond their GraphQL types. */

const namedKeys = 50;
const keyLength = 40;
const valueLength = 500;
const nestingLimit = 8;
const valuesLimit = 500;
const textLimitBytes = 16 * 1024;

/** Whether a value is in a request: neither left out nor null. */
export const isGiven = <Value>(value: Value | null | undefined): value is Value =>
  value !== null && value !== undefined;

/** A single line of text for people: a name or a label. */
export const name = z.string().trim().min(1, 'must not be empty').max(200, 'must be at most 200 characters');

/** A longer text, which may be empty. */
export const longText = z.string().max(5000, 'must be at most 5000 characters');

/** An identifier assigned by the client, kept unchanged. */
export const externalId = z.string().min(1, 'must not be empty').max(255, 'must be at most 255 characters');

/** The code of a country, in upper or lower case. */
export const countryCode = z
  .string()
  .trim()
  .toUpperCase()
  .refine(isCountry, coded('must be a country code of ISO 3166-1 alpha-2, such as DE', 'not_a_country'));

/** The name of a time zone. */
export const timeZone = z.string().refine(isTimeZone, coded('must be an IANA time zone', 'not_a_time_zone'));

// URL.canParse corrects its input: it accepts spaces, line ends and `https:shop.example`.
const httpUrlPattern = /^https?:\/\/[^\s\p{Cc}\\]+$/iu;

/** An address that a payer's browser is sent to. */
export const httpUrl = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .refine((text) => httpUrlPattern.test(text) && URL.canParse(text), {
    ...coded('must be an http or https address', 'not_a_url'),
    abort: true,
  })
  // `https://shop.example@evil.example` leads elsewhere than it seems to, and a password would be shown to the payer.
  .refine((text) => !hasCredentials(new URL(text)), 'must not contain a user name or password');

const hasCredentials = ({ username, password }: URL): boolean => username !== '' || password !== '';

const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Metadata; reports one problem per field. Not a `z.record`, which copies the value and drops `__proto__`. */
export const metadata = z
  .custom<Record<string, unknown>>(isMap, 'must be an object')
  .superRefine((map, context) =>
    reportMetadata(map, ({ path, message, limit }) =>
      context.addIssue({ code: 'custom', path, message, params: { ...tooLong(limit) } }),
    ),
  );

/** Metadata of text values only. */
export const textMetadata = metadata.superRefine((map, context) => {
  if (Object.keys(map).length > namedKeys) return;
  for (const key of Object.keys(map)) {
    if (typeof map[key] !== 'string') {
      context.addIssue({ code: 'custom', path: [shortenKey(key)], message: 'must be text' });
    }
  }
});

/** The metadata of a new record; null for none. */
export const givenMetadata = textMetadata
  .nullish()
  .transform((map) => dropEmpty(map as Record<string, string> | null | undefined));

/** Returns metadata, or null if there are none. */
export function dropEmpty<T extends object>(map: T | null | undefined): T | null {
  return map && Object.keys(map).length > 0 ? map : null;
}

/** `limit` is the number of characters, if there are too many. */
interface MetadataIssue {
  path: string[];
  message: string;
  limit?: number | undefined;
}

type Report = (issue: MetadataIssue) => void;

const tooLong = (limit: number | undefined): CodedIssue =>
  limit === undefined ? {} : { code: 'too_long', limit };

function reportMetadata(map: Record<string, unknown>, report: Report) {
  // Checked first, so that oversized values are not examined further.
  const tooLarge = findSizeProblem(map);
  if (tooLarge) {
    report({ path: [], message: tooLarge });
    return;
  }
  for (const [key, value] of Object.entries(map)) {
    if (key.length > keyLength) {
      const message = `must be a key of at most ${keyLength} characters`;
      report({ path: [shortenKey(key)], message, limit: keyLength });
    }
    const message = findProblem(value, 1);
    const limit = typeof value === 'string' ? valueLength : undefined;
    if (message) report({ path: [shortenKey(key)], message, limit });
  }
}

function findSizeProblem(map: Record<string, unknown>): string | undefined {
  if (Object.keys(map).length > namedKeys) return `must have at most ${namedKeys} keys`;
  if (countUpTo(valuesLimit + 1, map) > valuesLimit) return `must have at most ${valuesLimit} values in all`;
  if (Buffer.byteLength(JSON.stringify(map)) > textLimitBytes) {
    return `must be at most ${textLimitBytes} bytes as JSON`;
  }
  return undefined;
}

/** Counts the values in an object or list at any depth, including lists and objects; stops at `most`. */
function countUpTo(most: number, value: object): number {
  let count = 0;
  for (const member of Object.values(value) as unknown[]) {
    count += 1;
    if (count < most && typeof member === 'object' && member !== null) {
      count += countUpTo(most - count, member);
    }
    if (count >= most) break;
  }
  return count;
}

function findProblem(value: unknown, depth: number): string | undefined {
  if (depth > nestingLimit) return `must be nested at most ${nestingLimit} deep`;
  if (typeof value === 'string' && value.length > valueLength) {
    return `must be text of at most ${valueLength} characters`;
  }
  if (typeof value === 'number' && !isExactNumber(value))
    return 'must be a number that JSON keeps exactly; send it as text';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const member of Object.values(value)) {
    const problem = findProblem(member, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

/** Whether a JSON number reads back as it was written. */
export const isExactNumber = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

/** How many unknown fields of an object an error names. */
const namedUnknownFields = 20;
const shortenKey = (key: string) => (key.length > keyLength ? `${key.slice(0, keyLength)}…` : key);

/** Parses input with a schema. Error: `validation_failed`, with every invalid field. */
export function parseInput<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  return refuse('validation_failed', ...result.error.issues.flatMap(toIssues));
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code !== 'unrecognized_keys') return [toIssue(issue)];
  return issue.keys.slice(0, namedUnknownFields).map((key) => ({
    path: [...issue.path, shortenKey(key)].join('.'),
    message: 'is not a known field',
    ...findIssueCode(issue, false),
  }));
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  const { path, message, code } = issue;
  const isNull = code === 'invalid_type' && message.endsWith('received null');
  const said = isNull ? 'must not be null' : message;
  return { path: path.join('.'), message: said, ...findIssueCode(issue, isNull) };
}

/**
 * Makes every check, so that one answer names all faults. Returns what the checks return; the error keeps
 * their reason where they agree on one, and is `validation_failed` where they do not.
 */
export function checkAll<Results extends unknown[]>(
  ...checks: { [K in keyof Results]: () => Results[K] }
): Results {
  const failures: BillingError[] = [];
  const results = checks.map((attempt) => {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
      return failures.push(error);
    }
  });
  const [first, ...others] = failures;
  if (!first) return results as Results;
  const reason = others.every((other) => other.reason === first.reason) ? first.reason : 'validation_failed';
  return refuse(reason, ...failures.flatMap(({ issues }) => issues));
}

/** What is wrong with a field, in codes for programs that have words of their own for it. */
import type * as z from 'zod';

/** The codes; `limit` is the number of an issue. */
export const issueCodes = {
  required: 'A value is missing, null or empty.',
  too_long: 'A text has more than `limit` characters.',
  too_short: 'A text has less than `limit` characters.',
  too_many: 'A list has more than `limit` items.',
  too_few: 'A list has less than `limit` items.',
  too_large: 'A number is more than `limit`.',
  too_small: 'A number is less than `limit`.',
  not_positive: 'A number is not more than 0.',
  not_an_amount: 'It is not a number of 0 or more.',
  too_precise: 'A number has more than `limit` decimals.',
  not_a_number: 'It is not a number.',
  not_a_whole_number: 'It is not a whole number.',
  not_an_email: 'It is not an e-mail address.',
  not_a_url: 'It is not an address that begins with http:// or https://.',
  not_a_country: 'It is not a country code of ISO 3166-1.',
  not_a_choice: 'It is not one of the values that are possible.',
  not_in_future: 'It is not in the future.',
  taken: 'Another record has it.',
  unknown: 'No record has it.',
} as const satisfies Record<string, string>;

export type IssueCode = keyof typeof issueCodes;

/** The code of an issue, and the number that it means. */
export interface CodedIssue {
  code?: IssueCode;
  limit?: number;
}

const sizeCodes: Record<'too_big' | 'too_small', Record<string, IssueCode>> = {
  too_big: { string: 'too_long', array: 'too_many', number: 'too_large', int: 'too_large' },
  too_small: { string: 'too_short', array: 'too_few', number: 'too_small', int: 'too_small' },
};

const typeCodes: Record<string, IssueCode> = { int: 'not_a_whole_number', number: 'not_a_number' };

/** Returns the code of an issue of zod; nothing for one without. A refinement names its own: `params: { code, limit }`. */
export function findIssueCode(issue: z.core.$ZodIssue, isNull: boolean): CodedIssue {
  if (isNull) return { code: 'required' };
  switch (issue.code) {
    case 'too_big':
      return findSizeCode(issue, issue.maximum);
    case 'too_small':
      return findSizeCode(issue, issue.minimum);
    case 'invalid_type':
      return toCoded(typeCodes[issue.expected]);
    case 'invalid_value':
      return { code: 'not_a_choice' };
    case 'custom':
      return (issue.params ?? {}) as CodedIssue;
    default:
      return {};
  }
}

const toCoded = (code: IssueCode | undefined): CodedIssue => (code ? { code } : {});

function findSizeCode(
  { code, origin, inclusive }: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall,
  size: number | bigint,
): CodedIssue {
  const found = sizeCodes[code][origin];
  if (!found || inclusive === false) return {};
  return found === 'too_short' && size === 1 ? { code: 'required' } : { code: found, limit: Number(size) };
}

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
  in_past: 'It is in the past.',
  in_future: 'It is in the future.',
  not_later: 'It is not later than the present one.',
  before_start: 'A period ends before it begins.',
  too_far_ahead: 'It is more than `limit` days ahead.',
  other_currency: 'It is in another currency than the record.',
  more_than_left: 'An amount exceeds what is left; the field `left` of the issue contains that amount.',
  nothing_left: 'Nothing is left of the amount.',
  amount_too_large: 'An amount is larger than one may be.',
  not_a_percentage: 'It is not a percentage that is possible here.',
  not_a_time_zone: 'It is not the name of a time zone.',
  not_an_ip_range: 'It is neither an IP address nor a network in CIDR notation.',
  not_a_tax_id: 'The form or the check digits of a tax id do not fit its type.',
  not_an_iban: 'It is not an IBAN, or its check digits do not fit.',
  not_a_bic: 'It is not a BIC of 8 or 11 characters.',
  not_a_color: 'It is not a colour such as #14663f.',
  not_a_png: 'It is not a PNG image.',
  not_an_alias: 'It has other characters than a–z, 0–9 and inner hyphens, or more than 63.',
  not_a_code: 'It has other characters than letters a–z, digits, - and _.',
  not_https: 'It is not an https address, which live tenants need.',
  not_public: 'The address is inside the network of the server.',
  not_the_alias: 'It is not the alias of the tenant.',
  reserved: 'It is reserved.',
  repeated: 'A list names the same twice.',
  same_as_email: 'A password is the e-mail address.',
  tests_only: 'It is for test tenants only.',
  no_payment_method: 'There is no payment method to charge.',
  change_under_way: 'A change of the subscription is being paid.',
  redeemed_out: 'A coupon or a code was redeemed as often as it may be.',
  expired: 'A coupon or a code has expired.',
  inactive: 'A coupon or a code is switched off.',
  applied_already: 'A coupon is applied already.',
  other_customer: 'A code is for another customer.',
  first_purchase_only: 'A code is for the first purchase of a customer.',
  is_active: 'The record is active, and nothing like this can be done with it.',
  is_archived: 'The record is archived, and nothing like this can be done with it.',
  is_cancelled: 'The record is cancelled, and nothing like this can be done with it.',
  is_draft: 'The record is a draft, and nothing like this can be done with it.',
  is_incomplete: 'The record is incomplete, and nothing like this can be done with it.',
  is_open: 'The record is open, and nothing like this can be done with it.',
  is_paid: 'The record is paid, and nothing like this can be done with it.',
  is_past_due: 'The record is past due, and nothing like this can be done with it.',
  is_paused: 'The record is paused, and nothing like this can be done with it.',
  is_scheduled: 'The record is scheduled, and nothing like this can be done with it.',
  is_trialing: 'The record is in its trial, and nothing like this can be done with it.',
  is_uncollectible: 'The record is uncollectible, and nothing like this can be done with it.',
  is_void: 'The record is void, and nothing like this can be done with it.',
} as const satisfies Record<string, string>;

export type IssueCode = keyof typeof issueCodes;

/** The states for which there is a code. */
type State = IssueCode extends infer Code ? (Code extends `is_${infer Name}` ? Name : never) : never;

/** What is wrong with a record in a state that does not allow something. */
export const inState = <Name extends State>(state: Name) =>
  ({ message: `is ${state}`, code: `is_${state}` }) as const;

/** What zod reports for a refinement: a sentence and its code. */
export const coded = (error: string, code: IssueCode) => ({ error, params: { code } });

/** The code of an issue, and the number that it means. */
export interface CodedIssue {
  code?: IssueCode;
  limit?: number;
}

/** What is wrong with a field, as a sentence and as a code if there is one. */
export interface FieldProblem extends CodedIssue {
  message: string;
}

/** What a refinement of zod adds for a problem. */
export const toCustomIssue = ({ message, ...params }: FieldProblem) =>
  ({ code: 'custom', message, params }) as const;

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

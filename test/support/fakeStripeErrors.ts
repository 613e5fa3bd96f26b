/** The refusals of the server that plays Stripe. */

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly error: object,
  ) {
    super(String(status));
  }
}

/** A refusal of a request with a field that is missing or wrong. */
export const invalid = (code: string, param?: string) =>
  new Refused(400, { type: 'invalid_request_error', code, message: `refused: ${code}`, param });

/** Something in a request or a result that is allowed, but probably not meant: a stable code, and a message for people. */
export interface Warning {
  code: WarningCode;
  message: string;
}

export type WarningCode = 'amount_unusual';

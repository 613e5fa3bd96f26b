/** An amount as the schema has it: `decimal` is exact, `currency` a code of ISO 4217 in lower case. */
export interface Amount {
  decimal: string;
  currency: string;
}

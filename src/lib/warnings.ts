/** The catalogue of warnings: stable codes of what is allowed, but probably not meant, with when each occurs. */
export const warningCodes = {
  amount_unusual:
    'A price costs about 100 times what the other prices of its product do, or more: it is probably in cents.',
  exchange_rate_missing:
    'The invoice would lack its tax in the currency of the seller, because no exchange rate of the day is known.',
  order_changes_plan: 'The customer subscribes already, so the order changes the plan of that subscription.',
  tax_rate_missing: 'No tax is charged in the country of the seller, because there is no tax rate for it.',
  total_falls: 'The total of an item falls while its quantity rises.',
  total_rises: 'The total of an item rises while its quantity falls.',
  usage_unmatched: 'No rate of a price matches some units of its usage, so that they cost nothing.',
} as const;

export type WarningCode = keyof typeof warningCodes;

/** A warning in a result: its code, and a message for people with the values of this case. */
export interface Warning {
  code: WarningCode;
  message: string;
}

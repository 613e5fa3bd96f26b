/** A standard VAT rate that a file renewed. */
export interface RenewedRate {
  country: string;
  /** The name of a territory with a rate of its own; null for the rest of the country. */
  territory: string | null;
  /** The first date of the rate. */
  effectiveFrom: string;
  percent: string;
}

/** The standard VAT rates that files renewed, and the date until which the last one was checked. */
export interface RenewedRates {
  checkedUntil: string;
  rates: RenewedRate[];
}

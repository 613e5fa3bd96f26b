/** What lines of documents charge. `{of}` is the product; `{days}` and `{total}` are numbers of days. */
export const en = {
  credit: 'Unused time on {of}',
  charge: 'Remaining time on {of}',
  setupFee: '{of}, set-up fee',
  share: '{days} of {total} days of {price}',
  units: '{count} × {price}',
  packages: '{count} units in packages of {size} at {price}',
  flat: 'flat {amount}',
  usage: '{of}, usage',
  minimumSpend: '{of}, minimum spend',
  lateUsage: '{of}, late usage',
  counted: '{count} units used',
  included: '{count} included',
  eventShare: '{percent} of {amount} in {count} events',
  eachEvent: '{amount} for each event',
  most: 'at most {amount}',
  least: 'at least {amount}',
  billed: '{amount} billed before',
  /** Instead of the dates of a period that is not fixed yet. */
  fromPayment: 'The period begins when the payment is received',
  /** Why a part of a first period is credited. */
  lateStart: 'The subscription started after the first day of the billed period',
};

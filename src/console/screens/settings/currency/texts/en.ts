export const en = {
  title: 'Currency of the tax',
  note: 'An invoice in another currency shows the tax in this one, too, as the law asks in the European Union, the United Kingdom and Norway.',
  currency: 'Currency in which you owe tax',
  currencyHint: 'If you choose one, invoices that you create are refused while its exchange rate is missing.',
  ofCountry: 'That of your country',
  ofCountryIs: (currency: string) => `That of your country: ${currency}`,
  none: 'none',
  rates: 'Exchange rates',
  ratesNote:
    'By which the tax of such invoices is converted: those of the day, or the last ones of the seven days before. Your own precede those of the European Central Bank.',
  missing: (count: string, day: string, from: string, to: string) =>
    `Documents of ${day} in ${from} that lack their tax in ${to}, because no rate is known: ${count}.`,
  noRates: 'No rates yet. Add one, or import the file of the European Central Bank.',
  day: 'Day',
  source: 'From',
  oneEuro: 'One euro is worth',
  ecb: 'European Central Bank',
  manual: 'You',
  add: 'Add a rate',
  ratedCurrency: 'Currency',
  rateHint: 'In units of the currency, such as 1.1642',
};

import type { en } from './en.ts';

export const fr: typeof en = {
  title: 'Monnaie de la taxe',
  note: 'Une facture dans une autre monnaie indique aussi la taxe dans celle-ci, comme la loi le demande dans l’Union européenne, au Royaume-Uni et en Norvège.',
  currency: 'Monnaie dans laquelle vous devez la taxe',
  currencyHint:
    'Si vous en choisissez une, les factures que vous créez sont refusées tant que son taux de change manque.',
  ofCountry: 'Celle de votre pays',
  ofCountryIs: (currency: string) => `Celle de votre pays : ${currency}`,
  none: 'aucune',
  rates: 'Taux de change',
  ratesNote:
    'Ils convertissent la taxe de ces factures : ceux du jour, ou les derniers des sept jours précédents. Les vôtres priment ceux de la Banque centrale européenne.',
  missing: (count: string, day: string, from: string, to: string) =>
    `Documents du ${day} en ${from} auxquels manque la taxe en ${to}, faute de taux : ${count}.`,
  noRates: 'Pas encore de taux. Ajoutez-en un, ou importez le fichier de la Banque centrale européenne.',
  day: 'Jour',
  source: 'De',
  oneEuro: 'Un euro vaut',
  ecb: 'Banque centrale européenne',
  manual: 'Vous',
  add: 'Ajouter un taux',
  ratedCurrency: 'Monnaie',
  rateHint: 'En unités de la monnaie, par exemple 1,1642',
};

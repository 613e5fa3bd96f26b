import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Währung der Steuer',
  note: 'Eine Rechnung in einer anderen Währung zeigt die Steuer auch in dieser, wie es das Gesetz in der Europäischen Union, im Vereinigten Königreich und in Norwegen verlangt.',
  currency: 'Währung, in der Sie die Steuer schulden',
  currencyHint:
    'Wenn Sie eine wählen, werden Rechnungen, die Sie anlegen, abgelehnt, solange ihr Wechselkurs fehlt.',
  ofCountry: 'Die Ihres Landes',
  ofCountryIs: (currency: string) => `Die Ihres Landes: ${currency}`,
  none: 'keine',
  rates: 'Wechselkurse',
  ratesNote:
    'Mit ihnen wird die Steuer solcher Rechnungen umgerechnet: mit denen des Tages oder den letzten der sieben Tage davor. Ihre eigenen gehen denen der Europäischen Zentralbank vor.',
  missing: (count: string, day: string, from: string, to: string) =>
    `Belege vom ${day} in ${from}, denen die Steuer in ${to} fehlt, weil kein Kurs bekannt ist: ${count}.`,
  noRates:
    'Noch keine Kurse. Legen Sie einen an, oder importieren Sie die Datei der Europäischen Zentralbank.',
  day: 'Tag',
  source: 'Von',
  oneEuro: 'Ein Euro ist wert',
  ecb: 'Europäische Zentralbank',
  manual: 'Ihnen',
  add: 'Kurs anlegen',
  ratedCurrency: 'Währung',
  rateHint: 'In Einheiten der Währung, etwa 1,1642',
};

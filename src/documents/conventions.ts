/** How a language writes numbers and dates. */
export interface Conventions {
  /** `0` to `9` of the language. */
  digits: string;
  decimal: string;
  group: string;
  minus: string;
  /** A percentage of which `number` is the formatted number. */
  percent: (number: string) => string;
  /** A date of which the parts are formatted numbers without leading zeros; `month` is 1 to 12. */
  date: (day: string, month: number, year: string) => string;
}

const twoDigits = (day: string | number) => String(day).padStart(2, '0');

const englishMonths = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const en: Conventions = {
  digits: '0123456789',
  decimal: '.',
  group: ',',
  minus: '−',
  percent: (number) => `${number}%`,
  // The spaces within a date do not break.
  date: (day, month, year) => `${day}\u00A0${englishMonths[month - 1]}\u00A0${year}`,
};

/** The conventions of the United States, where the month comes first. */
export const american: Conventions = {
  ...en,
  date: (day, month, year) => `${englishMonths[month - 1]}\u00A0${day}, ${year}`,
};

const de: Conventions = {
  digits: '0123456789',
  decimal: ',',
  group: '.',
  minus: '−',
  percent: (number) => `${number} %`,
  date: (day, month, year) => `${twoDigits(day)}.${twoDigits(month)}.${year}`,
};

const fr: Conventions = {
  digits: '0123456789',
  decimal: ',',
  group: '\u202F',
  minus: '−',
  percent: (number) => `${number}\u202F%`,
  date: (day, month, year) => `${twoDigits(day)}/${twoDigits(month)}/${year}`,
};

const persianMonths = 'ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر'.split(' ');

const fa: Conventions = {
  digits: '۰۱۲۳۴۵۶۷۸۹',
  decimal: '٫',
  group: '٬',
  // The mark keeps the sign on the left of the digits.
  minus: '\u200E−',
  percent: (number) => `${number}٪`,
  date: (day, month, year) => `${day}\u00A0${persianMonths[month - 1]}\u00A0${year}`,
};

/** Persian with Latin digits. */
export const latinDigits: Conventions = {
  ...fa,
  digits: '0123456789',
  decimal: '.',
  group: ',',
  percent: (number) => `${number}%`,
};

/** The conventions of a language. */
export const conventions = { en, de, fr, fa };

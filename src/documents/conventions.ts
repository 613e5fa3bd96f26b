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

/** Keeps a sign at its side of the digits, whatever the letters around. */
const leftToRightMark = '\u200E';
const arabicMark = '\u061C';

const twoDigits = (day: string | number) => String(day).padStart(2, '0');

const dotted = (day: string, month: number, year: string) => `${twoDigits(day)}.${twoDigits(month)}.${year}`;
const slashed = (day: string, month: number, year: string) => `${twoDigits(day)}/${twoDigits(month)}/${year}`;

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
  date: dotted,
};

/** The conventions of Switzerland and Liechtenstein, which German and Italian have there. */
const swissNumbers = { decimal: '.', group: '’' };
export const swissGerman: Conventions = { ...de, ...swissNumbers };

const fr: Conventions = {
  digits: '0123456789',
  decimal: ',',
  group: '\u202F',
  minus: '−',
  percent: (number) => `${number}\u202F%`,
  date: slashed,
};

const es: Conventions = { ...de, date: slashed };
const it: Conventions = { ...es, percent: (number) => `${number}%` };
export const swissItalian: Conventions = { ...it, ...swissNumbers, date: dotted };
/** French in Switzerland has spaces between groups, but the point of its amounts. */
export const swissFrench: Conventions = { ...fr, decimal: '.', date: dotted };
const nl: Conventions = {
  ...it,
  date: (day, month, year) => `${twoDigits(day)}-${twoDigits(month)}-${year}`,
};
const pl: Conventions = { ...it, group: '\u00A0', date: dotted };
const pt: Conventions = { ...it, group: '\u00A0' };
/** The conventions of Brazil. */
export const brazilian: Conventions = { ...pt, group: '.' };
const da: Conventions = { ...de, percent: (number) => `${number}\u00A0%` };
const sv: Conventions = {
  ...da,
  group: '\u00A0',
  date: (day, month, year) => `${year}-${twoDigits(month)}-${twoDigits(day)}`,
};
const fi: Conventions = { ...sv, date: (day, month, year) => `${day}.${month}.${year}` };
const cs: Conventions = { ...sv, date: (day, month, year) => `${day}.\u00A0${month}.\u00A0${year}` };

const persianMonths = 'ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر'.split(' ');

const fa: Conventions = {
  digits: '۰۱۲۳۴۵۶۷۸۹',
  decimal: '٫',
  group: '٬',
  minus: `${leftToRightMark}−`,
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

const months = (names: string) => names.split(',');

/** The names of the months in Arabic by region (CLDR 48). */
const arabicMonths = {
  other: months('يناير,فبراير,مارس,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر'),
  levant: months(
    'كانون الثاني,شباط,آذار,نيسان,أيار,حزيران,تموز,آب,أيلول,تشرين الأول,تشرين الثاني,كانون الأول',
  ),
  morocco: months('يناير,فبراير,مارس,أبريل,ماي,يونيو,يوليوز,غشت,شتنبر,أكتوبر,نونبر,دجنبر'),
  mauritania: months('يناير,فبراير,مارس,إبريل,مايو,يونيو,يوليو,أغشت,شتمبر,أكتوبر,نوفمبر,دجمبر'),
  algeria: months('جانفي,فيفري,مارس,أفريل,ماي,جوان,جويلية,أوت,سبتمبر,أكتوبر,نوفمبر,ديسمبر'),
};

const arabicMonthRegions: Record<string, keyof typeof arabicMonths> = {
  IQ: 'levant',
  JO: 'levant',
  LB: 'levant',
  PS: 'levant',
  SY: 'levant',
  MA: 'morocco',
  MR: 'mauritania',
  DZ: 'algeria',
  TN: 'algeria',
};

/** Regions that write Arabic with Latin digits and a decimal comma. */
const decimalCommaRegions = new Set('DZ LB LY MA MR TN'.split(' '));

/** Builds the conventions of Arabic in a region, with Arabic-Indic digits or with Latin ones. */
export function buildArabic(hasArabicDigits: boolean, region = ''): Conventions {
  const names = arabicMonths[arabicMonthRegions[region] ?? 'other'];
  const hasComma = decimalCommaRegions.has(region);
  const forms = hasArabicDigits
    ? { digits: '٠١٢٣٤٥٦٧٨٩', decimal: '٫', group: '٬', minus: `${arabicMark}−` }
    : {
        digits: '0123456789',
        decimal: hasComma ? ',' : '.',
        group: hasComma ? '.' : ',',
        minus: `${leftToRightMark}−`,
      };
  return {
    ...forms,
    percent: (number) =>
      hasArabicDigits ? `${number}٪${arabicMark}` : `${leftToRightMark}${number}%${leftToRightMark}`,
    date: (day, month, year) => `${day}\u00A0${names[month - 1]!.replace(' ', '\u00A0')}\u00A0${year}`,
  };
}

const hebrewMonths = 'ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר'.split(' ');

const he: Conventions = {
  digits: '0123456789',
  decimal: '.',
  group: ',',
  minus: `${leftToRightMark}−`,
  percent: (number) => `${number}%`,
  date: (day, month, year) => `${day}\u00A0ב${hebrewMonths[month - 1]}\u00A0${year}`,
};

/** The conventions of a language; those of Arabic depend on the region. */
export const conventions = { en, de, fr, es, it, nl, pl, pt, sv, da, fi, cs, fa, he };

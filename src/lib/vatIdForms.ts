/**
 * Forms of VAT ids that jsvat 2.5.4 refuses although authorities issue them. The table "Structure of VAT identification
 * numbers" means question 11 of https://ec.europa.eu/taxation_customs/vies/#/faq.
 */

interface VatIdForm {
  /** Describes the form. */
  source: string;
  /** Whether an id without its prefix has the form, with the right check digits where the authority publishes them. */
  matches: (id: string) => boolean;
}

const digitsOf = (text: string): number[] => Array.from(text, Number);

/** Sums the digits of a text times their weights. */
const weigh = (text: string, weights: number[]): number =>
  digitsOf(text).reduce((sum, digit, at) => sum + digit * weights[at]!, 0);

const isBelgian = (id: string): boolean =>
  /^[01]\d{9}$/.test(id) && 97 - (Number(id.slice(0, 8)) % 97) === Number(id.slice(8));

const cypriotOdd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];

function isCypriot(id: string): boolean {
  if (!/^6\d{7}[A-Z]$/.test(id)) return false;
  const sum = digitsOf(id.slice(0, 8)).reduce(
    (total, digit, at) => total + (at % 2 === 0 ? cypriotOdd[digit]! : digit),
    0,
  );
  return id.charCodeAt(8) - 65 === sum % 26;
}

const isCzech = (id: string): boolean =>
  /^\d{2}[0-35-8]\d[0-3]\d{4}0$/.test(id) && Number(id.slice(0, 9)) % 11 === 10;

const irishLetters = 'WABCDEFGHIJKLMNOPQRSTUV';

/** The second letter counts nine times in the check. An old id is checked with its first digit after the others. */
function isIrish(id: string): boolean {
  const old = /^(\d)[A-Z+*](\d{5})([A-W])$/.exec(id);
  const [, digits, check, second = ''] = old
    ? ['', `0${old[2]}${old[1]}`, old[3]!]
    : (/^(\d{7})([A-W])([A-IW])$/.exec(id) ?? []);
  if (digits === undefined) return false;
  const sum = weigh(digits, [8, 7, 6, 5, 4, 3, 2]) + 9 * Math.max(0, irishLetters.indexOf(second));
  return irishLetters[sum % 23] === check;
}

/** The check character is a digit or the letter of its place among J, A, B … I. */
function isSpanishEntity(id: string): boolean {
  if (!/^[A-HJNP-SUVW]\d{7}[\dA-J]$/.test(id)) return false;
  const sum = digitsOf(id.slice(1, 8)).reduce((total, digit, at) => {
    const weighed = at % 2 === 0 ? 2 * digit : digit;
    return total + Math.floor(weighed / 10) + (weighed % 10);
  }, 0);
  const check = (10 - (sum % 10)) % 10;
  return [String(check), 'JABCDEFGHI'[check]].includes(id[8]);
}

/** By the prefix of the id. */
export const vatIdForms: Record<string, VatIdForm> = {
  BE: {
    source:
      'Enterprise numbers begin with 0 or, since 2023, with 1: https://economie.fgov.be/en/news/enterprise-numbers-starting-1',
    matches: isBelgian,
  },
  CY: {
    source:
      'Since 27 March 2023 new numbers begin with 6: Tax Department, "New TIN Format" of 4 May 2023, https://www.mof.gov.cy/mof/TAX/taxdep.nsf',
    matches: isCypriot,
  },
  CZ: {
    source:
      'Until 1985 a birth number with the remainder 10 ended with 0: https://ciselniky.dasta.mzcr.cz/hypertext/202240/hypertext/DSBET.htm',
    matches: isCzech,
  },
  ES: {
    source:
      'The order gives every kind of entity "a control character", digit or letter: art. 2 of Orden EHA/451/2008, https://www.boe.es/eli/es/o/2008/02/20/eha451/con',
    matches: isSpanishEntity,
  },
  IE: {
    source:
      'Structures IE9S99999L (S is a letter, + or *) and IE9999999WI (second letter A to I, formerly W for wives): table of VIES; Revenue eBrief 03/13',
    matches: isIrish,
  },
  LV: {
    source:
      'Personal codes since July 2017 begin with 3 and 2 to 9, and the rest is random: "Latvia: Information on Tax Identification Numbers", OECD',
    matches: (id) => /^3[2-9]\d{9}$/.test(id),
  },
};

/**
 * The schemes by which e-invoices name parties. Lists of codes: Electronic Address Scheme (EAS) of the European Commission
 * (https://ec.europa.eu/digital-building-blocks/sites/display/DIGITAL/Code+lists) and the registers of ISO 6523.
 */

/** What Peppol accepts as the scheme of an electronic address (https://docs.peppol.eu/poacc/billing/3.0/codelist/eas/). */
const peppolAddressSchemes = (
  '0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0154 0158 0170 0177 0183 0184 0188 0190 0191 0192 0193 ' +
  '0194 0195 0196 0198 0199 0200 0201 0202 0203 0204 0205 0208 0209 0210 0211 0212 0213 0215 0216 0217 0218 0221 0225 0230 ' +
  '0235 0240 9910 9913 9914 9915 9918 9919 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 9931 9932 9933 9934 9935 9936 ' +
  '9937 9938 9939 9940 9941 9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959'
).split(' ');

/** E-mail and the other schemes of EN 16931 that Peppol does not route. */
const otherAddressSchemes = ['AN', 'AQ', 'AS', 'AU', 'EM'];

const routed = new Set(peppolAddressSchemes);
const known = new Set([...peppolAddressSchemes, ...otherAddressSchemes]);

/** Whether a code is of the list of schemes of electronic addresses. */
export const isAddressScheme = (code: string): boolean => known.has(code);

/** Whether Peppol routes documents to addresses of this scheme: e-mail is none of its network. */
export const isPeppolScheme = (code: string): boolean => routed.has(code);

const lastRegister = 248;
const unassignedRegisters = new Set([92, 103, 181, 182]);

/** Whether a code is of the list of registers (ISO 6523 ICD): 0002 to 0248, but for some that were never given. */
export const isRegisterScheme = (code: string): boolean =>
  /^\d{4}$/.test(code) &&
  Number(code) >= 2 &&
  Number(code) <= lastRegister &&
  !unassignedRegisters.has(Number(code));

const takeDigits = (text: string): number[] => text.split('').map(Number);

/** Luhn's check digit is the last one. */
export const hasLuhnDigit = (text: string): boolean =>
  takeDigits(text)
    .toReversed()
    .reduce((sum, digit, place) => {
      const weighed = place % 2 === 1 ? digit * 2 : digit;
      return sum + (weighed > 9 ? weighed - 9 : weighed);
    }, 0) %
    10 ===
  0;

/** Sums digits by weights from the right, which repeat. */
const weigh = (text: string, weights: number[]): number =>
  takeDigits(text)
    .toReversed()
    .reduce((sum, digit, place) => sum + digit * weights[place % weights.length]!, 0);

const hasModulo11Digit = (text: string): boolean =>
  (11 - (weigh(text.slice(0, -1), [2, 3, 4, 5, 6, 7]) % 11)) % 11 === Number(text.at(-1));

/** Weights of the Australian business number, from the left; its first digit is lowered by one. */
const australianWeights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
const isAustralian = (text: string): boolean =>
  takeDigits(text).reduce(
    (sum, digit, place) => sum + (place === 0 ? digit - 1 : digit) * australianWeights[place]!,
    0,
  ) %
    89 ===
  0;

/** The forms of identifiers that Peppol checks, by their schemes, with the rule that does. */
const forms: Record<string, { rule: string; fits: (value: string) => boolean }> = {
  '0007': { rule: 'PEPPOL-COMMON-R049', fits: (value) => /^\d{10}$/.test(value) && hasLuhnDigit(value) },
  '0088': {
    rule: 'PEPPOL-COMMON-R040',
    fits: (value) => /^\d+$/.test(value) && weigh(value, [1, 3]) % 10 === 0,
  },
  '0151': { rule: 'PEPPOL-COMMON-R050', fits: (value) => /^\d{11}$/.test(value) && isAustralian(value) },
  '0184': { rule: 'PEPPOL-COMMON-R042', fits: (value) => /^(DK)?\d{8}$/.test(value) },
  '0192': { rule: 'PEPPOL-COMMON-R041', fits: (value) => /^\d{9}$/.test(value) && hasModulo11Digit(value) },
  '0208': {
    rule: 'PEPPOL-COMMON-R043',
    fits: (value) =>
      /^\d{10}$/.test(value) && 97 - (Number(value.slice(0, 8)) % 97) === Number(value.slice(8)),
  },
};

/** Returns the rule of Peppol that an identifier breaks: its form or its check digits do not fit its scheme; null if none. */
export function findBrokenForm({ scheme, value }: { scheme: string; value: string }): string | null {
  const form = Object.hasOwn(forms, scheme) ? forms[scheme]! : null;
  return form && !form.fits(value.trim()) ? form.rule : null;
}

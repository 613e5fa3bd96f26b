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

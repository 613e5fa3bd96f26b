/** The codes of reasons for which a sale is exempt (category E), of the list VATEX of the European Commission. */

const european =
  '79-C 132 132-1A 132-1B 132-1C 132-1D 132-1E 132-1F 132-1G 132-1H 132-1I 132-1J 132-1K 132-1L 132-1M 132-1N 132-1O 132-1P ' +
  '132-1Q 143 143-1A 143-1B 143-1C 143-1D 143-1E 143-1F 143-1FA 143-1G 143-1H 143-1I 143-1J 143-1K 143-1L 144 146-1E 148 ' +
  '148-A 148-B 148-C 148-D 148-E 148-F 148-G 151 151-1A 151-1AA 151-1B 151-1C 151-1D 151-1E 153 159 309 D F I J';
const french =
  'FRANCHISE 298SEXDECIESA CGI261-1 CGI261-2 CGI261-3 CGI261-4 CGI261-5 CGI261-7 CGI261-8 CGI261A CGI261B CGI261C-1 CGI261C-2 ' +
  'CGI261C-3 CGI261D-1 CGI261D-1BIS CGI261D-2 CGI261D-3 CGI261D-4 CGI261E-1 CGI261E-2 CGI275 CGI277A CGI295';

const codes = new Set([
  ...european.split(' ').map((code) => `VATEX-EU-${code}`),
  ...french.split(' ').map((code) => `VATEX-FR-${code}`),
]);

/** Whether e-invoices may give this code as the reason of an exempt sale (BT-121, BR-CL-22). */
export const isExemptionCode = (code: string): boolean => codes.has(code);

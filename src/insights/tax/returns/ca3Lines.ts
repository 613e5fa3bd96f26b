/**
 * The French return (form 3310-CA3-SD, 2025; lines and labels as in the box list of OCA's l10n_fr_account_vat_return): what is
 * sold, by the lines of the form. Line A1 is the sum of the bases of lines 08 to 14. Deductible tax and purchases are not known
 * here.
 */
import type { TaxTermsOfPlace } from '../taxTerms.ts';
import { leaveOut, roundToWhole, type LineAmounts, type ReturnLine } from './returnLines.ts';

/** The lines of what is not taxed in France have no tax, whatever the documents charge for another country. */
const roundBase = ({ taxableMinor }: LineAmounts): LineAmounts => ({
  taxableMinor: roundToWhole(taxableMinor),
  taxMinor: 0n,
});
/** Amounts are rounded to the nearest euro (article 1724 of the Code général des impôts). */
const round = (amounts: LineAmounts): LineAmounts => ({
  ...roundBase(amounts),
  taxMinor: roundToWhole(amounts.taxMinor),
});

const taxed = (code: string, label: string, by: ReturnLine['by'] = []): ReturnLine => ({
  code,
  label,
  leftOut: null,
  by,
  declare: round,
});
const untaxed = (code: string, label: string): ReturnLine => ({ ...taxed(code, label), declare: roundBase });

/** By the rate. The territories have rates of their own, so that a rate says where it applies, but for 2.1 and 10 %. */
const domestic: Readonly<Record<string, ReturnLine>> = {
  20: taxed('08', 'Taux normal 20 %'),
  5.5: taxed('09', 'Taux réduit 5,5 %'),
  10: taxed('9B', 'Taux réduit 10 %'),
  8.5: taxed('10', 'DOM, taux normal 8,5 %'),
  2.1: taxed('T6', 'Taux particulier 2,1 %'),
};
const others = taxed('13', 'Anciens taux', ['percent']);
const exports = untaxed('E1', 'Exportations hors UE');
const notTaxable = untaxed('E2', 'Autres opérations non imposables');
const distance = untaxed(
  'E3',
  'Ventes à distance taxables dans un autre État membre au profit de personnes non assujetties – Ventes B to C',
);
const goodsInUnion = untaxed(
  'F2',
  'Livraisons intracommunautaires à destination d’une personne assujettie – Ventes B to B',
);

/** Returns the line of the form that a tax belongs to. */
export function findCa3Line({ treatment, category, percent, reason }: TaxTermsOfPlace): ReturnLine {
  if (treatment === null) return leaveOut('unknown_country');
  if (reason === 'exempt_seller') return leaveOut('exempt_seller');
  if (category === 'G') return exports;
  if (category === 'K') return goodsInUnion;
  if (treatment === 'one_stop_shop') return distance;
  if (treatment !== 'domestic') return notTaxable;
  if (category === 'O') return leaveOut('outside_scope');
  if (Number(percent) === 0) return notTaxable;
  return domestic[String(Number(percent))] ?? others;
}

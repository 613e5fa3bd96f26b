/**
 * The German advance return (Umsatzsteuer-Voranmeldung, form USt 1 A 2026, as introduced by the letter of the Federal Ministry of
 * Finance of 29 December 2025, III C 3 - S 7344/00039/007/036): what is sold, by its numbers (Kennzahlen). Input tax and what
 * the seller buys are not known here.
 */
import type { TaxTermsOfPlace } from '../taxTerms.ts';
import { cutToWhole, leaveOut, type LineAmounts, type ReturnLine } from './returnLines.ts';

/** Amounts are cut to whole euros. Most lines have no tax in Germany, whatever the documents charge for another country. */
const cutBase = ({ taxableMinor }: LineAmounts): LineAmounts => ({
  taxableMinor: cutToWhole(taxableMinor),
  taxMinor: 0n,
});
const withTax = (amounts: LineAmounts): LineAmounts => ({ ...cutBase(amounts), taxMinor: amounts.taxMinor });
/** The form computes the tax of its fixed rates from the whole euros. */
const atRate =
  (percent: bigint) =>
  ({ taxableMinor }: LineAmounts): LineAmounts => {
    const declared = cutToWhole(taxableMinor);
    return { taxableMinor: declared, taxMinor: (declared * percent) / 100n };
  };

const line = (code: string, label: string, declare: ReturnLine['declare'] = cutBase): ReturnLine => ({
  code,
  label,
  leftOut: null,
  by: [],
  declare,
});

const standard = line('81', 'Steuerpflichtige Umsätze zum Steuersatz von 19 %', atRate(19n));
const reduced = line('86', 'Steuerpflichtige Umsätze zum Steuersatz von 7 %', atRate(7n));
const zero = line('87', 'Steuerpflichtige Umsätze zum Steuersatz von 0 %');
// The form has the tax of these in number 36.
const others = line('35', 'Steuerpflichtige Umsätze zu anderen Steuersätzen (Steuer: Kz 36)', withTax);
const exempt = line('48', 'Steuerfreie Umsätze ohne Vorsteuerabzug (§ 4 Nr. 8 bis 29 UStG)');
const goodsInUnion = line('41', 'Innergemeinschaftliche Lieferungen an Abnehmer mit USt-IdNr.');
const exports = line('43', 'Weitere steuerfreie Umsätze mit Vorsteuerabzug (z. B. Ausfuhrlieferungen)');
const domesticReverseCharge = line(
  '60',
  'Steuerpflichtige Umsätze, für die der Leistungsempfänger die Steuer nach § 13b Abs. 5 UStG schuldet',
);
const servicesInUnion = line('21', 'Nicht steuerbare sonstige Leistungen nach § 18b Satz 1 Nr. 2 UStG');
const elsewhere = line('45', 'Übrige nicht steuerbare Umsätze (Leistungsort nicht im Inland)');

/** Returns the number of the form that a tax belongs to. */
export function findUstvaLine(terms: TaxTermsOfPlace): ReturnLine {
  const { treatment, category, reason } = terms;
  if (treatment === null) return leaveOut('unknown_country');
  // Declared once a year (§ 18 Abs. 4a UStG).
  if (reason === 'exempt_seller') return leaveOut('exempt_seller');
  if (treatment === 'one_stop_shop') return leaveOut('one_stop_shop');
  if (treatment === 'intra_community') return category === 'K' ? goodsInUnion : servicesInUnion;
  if (treatment === 'foreign') return category === 'G' ? exports : elsewhere;
  return findDomesticLine(terms);
}

function findDomesticLine({ category, percent }: TaxTermsOfPlace): ReturnLine {
  if (category === 'AE') return domesticReverseCharge;
  if (category === 'E') return exempt;
  if (category === 'G') return exports;
  if (category === 'O') return leaveOut('outside_scope');
  const rate = Number(percent);
  if (rate === 19) return standard;
  if (rate === 7) return reduced;
  return rate === 0 ? zero : others;
}

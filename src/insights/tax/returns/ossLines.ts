/**
 * The return of the one-stop shop, Union scheme (Directive 2006/112/EC, articles 369a to 369k; Implementing Regulation (EU)
 * 2020/194, annex III): by member state of consumption and rate, in euros and not rounded. Corrections of earlier returns are
 * named with the period that they correct (article 369g(4)).
 */
import type { TaxTermsOfPlace } from '../taxTerms.ts';
import { leaveOut, type ReturnLine } from './returnLines.ts';

const supplies = { code: 'supplies', label: null, leftOut: null, by: ['country', 'percent'] } as const;
const corrections = { ...supplies, code: 'corrections', by: ['country'] } as const;

/** Returns the part of the return that a tax belongs to. */
export function findOssLine({ treatment, percent }: TaxTermsOfPlace, isCorrection: boolean): ReturnLine {
  if (treatment === null) return leaveOut('unknown_country');
  if (treatment !== 'one_stop_shop') return leaveOut('not_one_stop_shop');
  if (Number(percent) === 0) return leaveOut('exempt');
  return isCorrection ? corrections : supplies;
}

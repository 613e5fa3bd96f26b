/** The plain list: every tax by its treatment, country, rate and reason. */
import type { TaxTermsOfPlace } from '../taxTerms.ts';
import type { ReturnLine } from './returnLines.ts';

/** Returns a line for each treatment. */
export const findPlainLine = ({ treatment }: TaxTermsOfPlace): ReturnLine => ({
  code: treatment ?? 'unknown',
  label: null,
  leftOut: null,
  by: ['country', 'category', 'percent', 'reason'],
});

import { defineTextGroups } from './language.tsx';
import { de } from './de.ts';
import { en } from './en.ts';
import { fa } from './fa.ts';
import { fr } from './fr.ts';

/** The texts that screens share. */
export const {
  coupons: couponTexts,
  deliveries: deliveryTexts,
  mails: mailTexts,
  prices: priceTexts,
  problems: problemTexts,
  statuses: statusTexts,
} = defineTextGroups({ en, de, fr, fa });

import type { en } from './en.ts';

export const ar: typeof en = {
  label: 'بطاقة وiDEAL وPayPal ووسائل أخرى',
  hint: 'تدفع على صفحة Mollie ثم تعود إلى هنا.',
};

import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'کوپن‌ها',
  create: 'ساختن کوپن',
  createdToast: (name) => `${name} ساخته شد`,
  nameHint: 'مشتریان آن را در فاکتور می‌خوانند.',
  off: 'تخفیف',
  kind: 'گونهٔ تخفیف',
  percent: 'درصد',
  duration: 'مدت',
  once: 'یک بار',
  repeating: 'برای چند ماه',
  forever: 'در هر فاکتور',
  months: 'ماه‌ها',
  allProducts: 'همهٔ محصولات',
  limit: 'بیشترین تعداد استفاده',
  limitHint: 'همهٔ مشتریان با هم. خالی: بدون محدودیت.',
  redeemed: 'استفاده‌شده',
  ofMost: (count, most) => `${count} از ${most}`,
  redeemBy: 'مهلت استفاده',
  inactive: 'بایگانی‌شده',
  empty: 'هنوز کوپنی نیست',
  emptyText:
    'کوپن فاکتورها را کم می‌کند: یک بار، برای چند ماه یا همیشه. پرداخت‌کنندگان آن را با کد تخفیف به کار می‌برند.',
};

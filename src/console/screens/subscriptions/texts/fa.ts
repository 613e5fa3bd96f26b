import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'اشتراک‌ها',
  next: 'فاکتور بعدی',
  price: 'قیمت',
  pastDue: 'عقب‌افتاده از',
  trial: 'آزمایشی تا',
  empty: 'هنوز اشتراکی نیست',
  emptyText: 'اشتراک با پرداخت مشتری در صفحهٔ پرداخت یا از راه برنامهٔ شما آغاز می‌شود.',
};

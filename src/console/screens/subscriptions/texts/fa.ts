import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'اشتراک‌ها',
  product: 'محصول',
  status: 'وضعیت',
  customer: 'مشتری',
  next: 'فاکتور بعدی',
  ends: 'پایان',
  price: 'قیمت',
  currency: 'ارز',
  pastDue: 'عقب‌افتاده از',
  trial: 'آزمایشی تا',
  id: 'شناسه',
  created: 'ایجاد',
  empty: 'هنوز اشتراکی نیست',
  emptyText: 'اشتراک با پرداخت مشتری در صفحهٔ پرداخت یا از راه برنامهٔ شما آغاز می‌شود.',
};

import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'مشتریان',
  associatedId: 'شناسهٔ شما',
  balance: 'مانده',
  create: 'مشتری تازه',
  empty: 'هنوز مشتری‌ای نیست',
  emptyText:
    'هر کس خرید کند مشتری می‌شود: وقتی برنامهٔ شما او را با API می‌سازد، وقتی در صفحهٔ پرداخت می‌پردازد، یا همین‌جا.',
  vatId: 'شناسهٔ مالیاتی',
  vatIdStatus: { invalid: 'ثبت‌نشده', unavailable: 'هنوز تأیید نشده', valid: 'ثبت‌شده' },
  firstName: 'نام',
  lastName: 'نام خانوادگی',
  companyName: 'شرکت',
  companyHint: 'اگر فاکتورها برای شرکت است',
  associatedIdHint: 'شناسهٔ همین مشتری در برنامهٔ شما',
  createdToast: (name) => `${name} ساخته شد`,
};

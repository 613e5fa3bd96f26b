import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'ایمیل‌ها',
  recipient: 'گیرنده',
  empty: 'هنوز ایمیلی نیست',
  emptyText: 'ایمیل‌های مشتریان اینجا دیده می‌شوند: رسید، فاکتور، پرداخت ناموفق. سرور ایمیل لازم است.',
};

import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'تأییدها',
  operation: 'اقدام',
  amounts: 'مبلغ‌ها',
  asker: 'درخواست‌کننده',
  requested: 'زمان درخواست',
  empty: 'چیزی برای تأیید نیست',
  emptyText:
    'کلیدهایی که اجازه‌ی درخواست تأیید دارند آنچه پول را جابه‌جا می‌کند یا بازگشت‌پذیر نیست اینجا می‌گذارند.',
};

import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'فاکتورها',
  draft: (number) => `پیش‌نویس ${number}`,
  reason: 'بابت',
  cycle: 'تمدید',
  one_off: 'هزینهٔ یک‌باره',
  plan_change: 'تغییر طرح',
  subscription_end: 'فاکتور پایانی',
  usage_threshold: 'آستانهٔ مصرف',
  subscription_start: 'آغاز اشتراک',
  due: 'قابل پرداخت',
  collection: 'روش وصول',
  automatic: 'خودکار',
  send_invoice: 'حواله',
  dueAt: 'سررسید',
  paidAt: 'پرداخت',
  onlyOverdue: 'فقط سررسیدگذشته',
  empty: 'هنوز فاکتوری نیست',
  emptyText: 'نخستین فاکتور با آغاز یک اشتراک یا هزینه‌ای یک‌باره پدید می‌آید.',
};

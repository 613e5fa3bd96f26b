import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'رویدادها',
  type: 'رویداد',
  record: 'رکورد',
  executor: 'عامل',
  happened: 'چه رخ داد',
  empty: 'هنوز رویدادی نیست',
  emptyText: 'هر تغییر داده‌های این فضا با عاملش اینجا ثبت می‌شود.',
};

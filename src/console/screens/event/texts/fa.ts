import type { en } from './en.ts';

export const fa: typeof en = {
  parent: 'رویدادها',
  event: 'رویداد',
  record: 'رکورد',
  executor: 'عامل',
  cause: 'علت',
  changes: 'تغییرات',
  details: 'جزئیات',
  object: 'رکورد پس از تغییر',
  deliveries: 'ارسال‌ها',
  endpoint: 'مقصد',
  noDeliveries: 'هیچ مقصدی این رویداد را نخواسته است.',
};

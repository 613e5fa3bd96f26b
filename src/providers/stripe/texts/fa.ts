import type { en } from './en.ts';

export const fa: typeof en = {
  label: 'کارت و روش‌های دیگر',
  hint: 'برای پرداخت‌های بعدی این اشتراک ذخیره می‌شود.',
};

import type { en } from './en.ts';

export const fa: typeof en = {
  parent: 'مقصد',
  delivery: 'ارسال',
  endpoint: 'فرستاده به',
  sequence: 'ترتیب',
  finished: 'پایان',
  event: 'رویداد',
  payload: 'رویداد ذخیره‌شده',
  resend: 'ارسال دوباره',
  resent: 'در حال ارسال دوباره',
  summary: (count) => `${count} تلاش`,
};

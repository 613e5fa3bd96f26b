import type { en } from './en.ts';

export const fa: typeof en = {
  credit: 'زمان استفاده‌نشده: {of}',
  charge: 'زمان باقی‌مانده: {of}',
  setupFee: 'هزینهٔ راه‌اندازی: {of}',
  share: '{days} از {total} روز، {price}',
  units: '{count} × {price}',
  packages: '{count} واحد در بسته‌های {size}تایی، هر بسته {price}',
  flat: 'مبلغ ثابت {amount}',
  usage: 'مصرف: {of}',
  minimumSpend: 'کمینهٔ پرداخت: {of}',
  lateUsage: 'مصرف با تأخیر: {of}',
  counted: '{count} واحد مصرف‌شده',
  included: '{count} واحد شامل‌شده',
  eventShare: '{percent} از {amount} در {count} رویداد',
  eachEvent: 'هر رویداد {amount}',
  most: 'حداکثر {amount}',
  least: 'حداقل {amount}',
  billed: 'پیش‌تر {amount} صورت‌حساب شده است',
  fromPayment: 'دوره با دریافت پرداخت آغاز می‌شود',
  lateStart: 'اشتراک پس از نخستین روز دورهٔ صورت‌حساب آغاز شد',
};

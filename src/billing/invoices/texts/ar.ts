import type { en } from './en.ts';

/** Nouns stand before their numbers, so that they need no form for each category of numbers. */
export const ar: typeof en = {
  credit: 'المدة غير المستخدمة: {of}',
  charge: 'المدة المتبقية: {of}',
  setupFee: 'رسوم التفعيل: {of}',
  share: 'الأيام: {days} من {total}، بسعر {price}',
  units: '{count} × {price}',
  packages: 'الوحدات: {count}، في حزم من {size} بسعر {price} للحزمة',
  flat: 'مبلغ ثابت {amount}',
  usage: 'الاستهلاك: {of}',
  minimumSpend: 'الحد الأدنى: {of}',
  lateUsage: 'استهلاك متأخر: {of}',
  counted: 'الوحدات المستخدمة: {count}',
  included: 'المشمولة: {count}',
  eventShare: '{percent} من {amount}، الأحداث: {count}',
  eachEvent: 'لكل حدث: {amount}',
  most: 'الحد الأقصى: {amount}',
  least: 'الحد الأدنى: {amount}',
  billed: 'المفوتر سابقًا: {amount}',
  fromPayment: 'تبدأ الفترة عند استلام الدفعة',
  lateStart: 'بدأ الاشتراك بعد اليوم الأول من الفترة المفوترة',
};

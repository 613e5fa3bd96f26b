import type { en } from './en.ts';

export const fa: typeof en = {
  test: 'حالت آزمایشی',
  testText: 'پولی جابه‌جا نمی‌شود.',
  language: 'زبان',
  terms: 'شرایط',
  privacy: 'حریم خصوصی',
  support: 'راهنما',
  tooMany: 'درخواست‌ها بیش از اندازه است',
  tooManyText: 'چند ثانیه صبر کنید و دوباره تلاش کنید.',
  tryLater: 'کمی بعد دوباره تلاش کنید',
  tryLaterText: 'سرویس پرداخت پاسخ نمی‌دهد. چند ثانیه بعد دوباره تلاش کنید.',
  notSent: 'فرم فرستاده نشد',
  formTooLarge: 'فرم بیش از اندازه بزرگ است.',
  formOfPage: 'فرم همین صفحه را بفرستید.',
  documentGone: 'این سند اینجا نیست',
  documentGoneText: 'پیوند منقضی شده یا کامل نیست. پیوند تازه‌ای بخواهید.',
};

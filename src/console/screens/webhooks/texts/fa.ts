import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'وب‌هوک‌ها',
  url: 'نشانی',
  description: 'کاربرد',
  all: 'همهٔ رویدادها',
  inactive: 'خاموش',
  create: 'مقصد تازه',
  empty: 'هنوز مقصدی نیست',
  emptyText: 'مقصد، نشانی شماست که رویدادها را همان لحظه، امضاشده و با تلاش دوباره دریافت می‌کند.',
  urlHint: 'https، یا در فضای آزمایشی http',
  eventsHint: 'همهٔ رویدادها، اگر چیزی انتخاب نشود',
  eventsChosen: (names) => `انتخاب‌شده: ${names}`,
  allOfKind: 'همهٔ این‌ها',
  secret: 'رمز امضا',
  secretNote: 'اکنون کپی کنید: دوباره نشان داده نمی‌شود.',
  copy: 'کپی رمز',
};

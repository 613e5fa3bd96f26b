import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'پرداخت‌های قابل وصول',
  subtitle: 'اشتراک‌هایی که دریافتشان ناموفق بود، از قدیمی‌ترین.',
  atRisk: 'مبلغ در خطر',
  count: (count) => `تعداد پرداخت: ${count}`,
  allReasons: 'همهٔ دلایل',
  empty: 'چیزی برای وصول نیست',
  emptyText: 'دریافت‌های ناموفق با تلاش بعدی و پیوند پرداخت اینجا می‌آید.',
  more: 'نمایش بیشتر',
  retry: 'دریافت دوباره',
  retryText: (amount) => `دریافت دوبارهٔ ${amount}`,
  retried: (paid, count) => `پرداخت‌شده: ${paid} از ${count}`,
  chooseFirst: 'نخست پرداخت‌ها را برگزینید',
  choose: (name) => `گزینش ${name}`,
  awaited: 'در انتظار حواله',
  since: 'از',
  nextTry: 'تلاش بعدی',
  never: 'هیچ',
};

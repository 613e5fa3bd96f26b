import type { en } from './en.ts';

export const fa: typeof en = {
  label: 'کارت، iDEAL، PayPal و روش‌های دیگر',
  hint: 'در صفحهٔ Mollie پرداخت می‌کنید و سپس به اینجا برمی‌گردید.',
};

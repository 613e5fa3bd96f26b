import type { en } from './en.ts';

export const he: typeof en = {
  credit: 'זמן שלא נוצל: {of}',
  charge: 'זמן שנותר: {of}',
  setupFee: 'דמי הקמה: {of}',
  share: '{days} מתוך {total} ימים, לפי {price}',
  units: '{count} × {price}',
  packages: '{count} יחידות בחבילות של {size}, לפי {price} לחבילה',
  flat: 'סכום קבוע {amount}',
  fromPayment: 'התקופה מתחילה עם קבלת התשלום',
  lateStart: 'המינוי התחיל לאחר היום הראשון של התקופה המחויבת',
};

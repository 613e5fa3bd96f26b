import type { en } from './en.ts';

export const he: typeof en = {
  credit: 'זמן שלא נוצל: {of}',
  charge: 'זמן שנותר: {of}',
  setupFee: 'דמי הקמה: {of}',
  share: '{days} מתוך {total} ימים, לפי {price}',
  units: '{count} × {price}',
  packages: '{count} יחידות בחבילות של {size}, לפי {price} לחבילה',
  flat: 'סכום קבוע {amount}',
  usage: 'שימוש: {of}',
  minimumSpend: 'חיוב מינימלי: {of}',
  lateUsage: 'שימוש שדווח באיחור: {of}',
  counted: 'יחידות בשימוש: {count}',
  included: 'כלולות: {count}',
  eventShare: '{percent} מתוך {amount}, אירועים: {count}',
  eachEvent: 'לכל אירוע: {amount}',
  most: 'לכל היותר {amount}',
  least: 'לכל הפחות {amount}',
  billed: 'חויב קודם: {amount}',
  fromPayment: 'התקופה מתחילה עם קבלת התשלום',
  lateStart: 'המינוי התחיל לאחר היום הראשון של התקופה המחויבת',
};

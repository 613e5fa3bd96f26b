import type { en } from './en.ts';

export const fa: typeof en = {
  creditNote: 'یادداشت بستانکار',
  missing: 'چنین یادداشتی وجود ندارد.',
  void: 'باطل',
  issued: 'صادرشده',
  issuedOn: 'تاریخ صدور',
  download: 'دریافت',
  lines: 'سطرهای بستانکار',
  refund: 'بازگردانده به روش پرداخت',
  credit: 'بستانکار مشتری',
  memo: 'متن برای مشتری',
  remaining: 'هنوز قابل بستانکاری',
};

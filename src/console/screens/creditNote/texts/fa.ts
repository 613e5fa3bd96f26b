import type { en } from './en.ts';

export const fa: typeof en = {
  creditNote: 'یادداشت بستانکار',
  missing: 'چنین یادداشتی وجود ندارد.',
  invoices: 'فاکتورها',
  invoice: 'فاکتور',
  customer: 'مشتری',
  void: 'باطل',
  issued: 'صادرشده',
  issuedOn: 'تاریخ صدور',
  download: 'دریافت',
  lines: 'سطرهای بستانکار',
  description: 'شرح',
  amount: 'مبلغ',
  tax: 'مالیات',
  total: 'جمع کل',
  refund: 'بازگردانده به روش پرداخت',
  credit: 'بستانکار مشتری',
  memo: 'متن برای مشتری',
  reason: 'دلیل',
  remaining: 'هنوز قابل بستانکاری',
  id: 'شناسه',
};

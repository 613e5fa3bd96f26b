import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'تأییدها',
  arguments: 'جزئیات',
  preview: 'چه می‌شود',
  noAmounts: 'پولی فوراً جابه‌جا نمی‌شود.',
  asker: 'درخواست‌کننده',
  reason: 'دلیل',
  requested: 'زمان درخواست',
  expires: 'پایان مهلت',
  decider: 'تصمیم‌گیرنده',
  decided: 'زمان تصمیم',
  declineReason: 'دلیل رد',
  own: 'خودتان درخواست کرده‌اید: دیگری تصمیم می‌گیرد.',
  approved: 'انجام شد',
  declined: 'رد شد',
  decline: 'رد کردن',
  declineTitle: 'این درخواست رد شود؟',
  approveTitle: 'تأیید و اکنون انجام شود؟',
  approveText: (name: string) => `درخواست از ${name}. یک بار و به نام شما انجام می‌شود.`,
};

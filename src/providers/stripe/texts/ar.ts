import type { en } from './en.ts';

export const ar: typeof en = {
  label: 'بطاقة ووسائل أخرى',
  hint: 'تُحفظ للدفعات اللاحقة لهذا الاشتراك.',
};

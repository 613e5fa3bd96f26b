import type { en } from './en.ts';

export const ar: typeof en = {
  test: 'وضع الاختبار',
  testText: 'لا تُنقل أي أموال.',
  language: 'اللغة',
  terms: 'الشروط',
  privacy: 'الخصوصية',
  support: 'المساعدة',
  tooMany: 'طلبات كثيرة جدًا',
  tooManyText: 'يُرجى الانتظار بضع ثوانٍ ثم المحاولة مرة أخرى.',
  tryLater: 'يُرجى المحاولة بعد قليل',
  tryLaterText: 'خدمة الدفع لا تستجيب. يُرجى المحاولة مرة أخرى بعد بضع ثوانٍ.',
  notSent: 'تعذّر إرسال النموذج',
  formTooLarge: 'النموذج كبير جدًا.',
  formOfPage: 'يُرجى إرسال نموذج الصفحة نفسها.',
  documentGone: 'هذا المستند غير موجود',
  documentGoneText: 'انتهت صلاحية الرابط أو أنه غير مكتمل. يُرجى طلب رابط جديد.',
};

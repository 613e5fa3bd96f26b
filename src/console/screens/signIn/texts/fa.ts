import type { en } from './en.ts';

export const fa: typeof en = {
  title: 'ورود به Perennial',
  signIn: 'ورود',
  passkey: 'ورود با گذرکلید',
  oidc: 'ورود یکپارچه',
  oidcFailed: 'ورود یکپارچه موفق نبود. دوباره تلاش کنید یا راه دیگری برگزینید.',
  usePassword: 'استفاده از گذرواژه',
  code: 'کد',
  codeHint: 'شش رقم برنامهٔ احراز هویت شما',
  recoveryCode: 'کد بازیابی',
  useRecovery: 'استفاده از کد بازیابی',
  useCode: 'استفاده از برنامه',
  openLink: 'باز کردن کنسول با این پیوند',
  help: 'دسترسی ندارید؟ از مالک دعوت بخواهید یا روی سرور «perennial operator create» را اجرا کنید.',
};

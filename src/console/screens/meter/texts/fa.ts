import type { en } from './en.ts';

export const fa: typeof en = {
  meter: 'سنجه',
  meters: 'سنجه‌ها',
  missing: 'چنین سنجه‌ای نیست.',
  usage: 'مصرف ۳۰ روز',
  filter: 'تنها رویدادهای با',
  startsAt: 'می‌شمارد از',
  endsAt: 'می‌شمارد تا',
  yes: 'بله',
  archived: 'پایان‌یافته',
  archive: 'پایان دادن سنجه',
  alreadyEnded: 'پایان یافته است',
  archiveText: 'رویدادهای پس از این را نمی‌شمارد. بازگشت‌پذیر نیست.',
  archivedToast: 'سنجه پایان یافت',
  archiveTitle: (name: string) => `به ${name} پایان داده شود؟`,
  versions: 'نسخه‌ها',
  change: 'تغییر شمارش',
  changeText: 'تغییر از آن پس',
  changedToast: 'سنجه از آن پس جور دیگری می‌شمارد',
  changeNote: 'نسخهٔ تازه از زمانی آغاز می‌شود. آنچه پیش از آن شمرده شده و فاکتورهای آن می‌مانند.',
  from: 'از',
  fromHint: 'خالی: از ربع ساعت بعدی',
  backfillHint:
    'رویدادهای کهنه‌تر از ۳۵ روز با API افزوده می‌شوند: backfillUsage. شمرده می‌شوند و هرگز در فاکتور نمی‌آیند.',
};

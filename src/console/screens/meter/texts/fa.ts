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
  summary: (value: string, events: string) => `${value} در ${events} رویداد`,
};

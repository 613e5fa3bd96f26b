import type { en } from './en.ts';

export const ps: typeof en = {
  test: 'ازمېښتي حالت',
  testText: 'پیسې نه لېږدول کېږي.',
  language: 'ژبه',
  terms: 'شرایط',
  privacy: 'محرمیت',
  support: 'مرسته',
  tooMany: 'ډېرې غوښتنې',
  tooManyText: 'څو ثانیې تم شئ او بیا هڅه وکړئ.',
  tryLater: 'لږ وروسته بیا هڅه وکړئ',
  tryLaterText: 'د تادیې خدمت ځواب نه ورکوي. څو ثانیې وروسته بیا هڅه وکړئ.',
  notSent: 'فورمه ونه لېږل شوه',
  formTooLarge: 'فورمه ډېره لویه ده.',
  formOfPage: 'د همدې پاڼې فورمه ولېږئ.',
  documentGone: 'دا سند دلته نشته',
  documentGoneText: 'لینک پای ته رسېدلی یا بشپړ نه دی. نوی لینک وغواړئ.',
};

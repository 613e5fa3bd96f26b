import { defineTexts } from '../../texts/language.tsx';

export const blockedTexts = defineTexts({
  en: {
    title: 'Blocked addresses',
    intro:
      'Addresses that refused mail for good get no more, until you allow it again.',
    none: 'No address is blocked.',
    customer: 'Customer',
    reason: 'Reason',
    since: 'Since',
    actions: 'Actions',
    unblock: 'Allow mail again',
    more: 'Show more',
    unblocked: 'Mail is sent to the address again',
  },
  de: {
    title: 'Gesperrte Adressen',
    intro:
      'Adressen, die E-Mails endgültig abgelehnt haben, erhalten keine mehr, bis Sie es erlauben.',
    none: 'Keine Adresse ist gesperrt.',
    customer: 'Kunde',
    reason: 'Grund',
    since: 'Seit',
    actions: 'Aktionen',
    unblock: 'E-Mails wieder erlauben',
    more: 'Weitere zeigen',
    unblocked: 'An die Adresse wird wieder gesendet',
  },
  fr: {
    title: 'Adresses bloquées',
    intro:
      'Les adresses qui ont refusé définitivement un e-mail n’en reçoivent plus, jusqu’à votre accord.',
    none: 'Aucune adresse n’est bloquée.',
    customer: 'Client',
    reason: 'Motif',
    since: 'Depuis',
    actions: 'Actions',
    unblock: 'Autoriser à nouveau',
    more: 'Afficher la suite',
    unblocked: 'L’adresse reçoit à nouveau des e-mails',
  },
  fa: {
    title: 'نشانی‌های مسدود',
    intro:
      'نشانی‌هایی که ایمیل را برای همیشه رد کرده‌اند دیگر ایمیلی نمی‌گیرند، تا شما دوباره اجازه دهید.',
    none: 'هیچ نشانی مسدود نیست.',
    customer: 'مشتری',
    reason: 'دلیل',
    since: 'از',
    actions: 'کارها',
    unblock: 'اجازهٔ دوباره',
    more: 'نمایش بیشتر',
    unblocked: 'دوباره به این نشانی ایمیل فرستاده می‌شود',
  },
});

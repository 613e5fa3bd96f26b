/** The texts that all pages share. */
import type { Translated } from '../../lib/language.ts';

const en = {
  /** The band on pages of test tenants. */
  test: 'Test mode',
  testText: 'No money moves.',
  language: 'Language',
  terms: 'Terms',
  privacy: 'Privacy',
  support: 'Help',
  tooMany: 'Too many requests',
  tooManyText: 'Wait a few seconds, then try again.',
  tryLater: 'Try again soon',
  tryLaterText: 'The payment service is not responding. Try again in a few seconds.',
  notSent: 'The form could not be sent',
  formTooLarge: 'The form is too large.',
  formOfPage: 'Send the form of the page.',
};

/** The texts in one language. */
export type PageTexts = Record<keyof typeof en, string>;

const de: PageTexts = {
  test: 'Testmodus',
  testText: 'Es fließt kein Geld.',
  language: 'Sprache',
  terms: 'AGB',
  privacy: 'Datenschutz',
  support: 'Hilfe',
  tooMany: 'Zu viele Anfragen',
  tooManyText: 'Warten Sie einige Sekunden, und versuchen Sie es erneut.',
  tryLater: 'Versuchen Sie es gleich noch einmal',
  tryLaterText: 'Der Zahlungsdienst antwortet nicht. Versuchen Sie es in einigen Sekunden erneut.',
  notSent: 'Das Formular konnte nicht gesendet werden',
  formTooLarge: 'Das Formular ist zu groß.',
  formOfPage: 'Senden Sie das Formular der Seite.',
};

const fr: PageTexts = {
  test: 'Mode test',
  testText: 'Aucun argent ne circule.',
  language: 'Langue',
  terms: 'Conditions',
  privacy: 'Confidentialité',
  support: 'Aide',
  tooMany: 'Trop de requêtes',
  tooManyText: 'Attendez quelques secondes, puis réessayez.',
  tryLater: 'Réessayez bientôt',
  tryLaterText: 'Le service de paiement ne répond pas. Réessayez dans quelques secondes.',
  notSent: 'Le formulaire n’a pas pu être envoyé',
  formTooLarge: 'Le formulaire est trop grand.',
  formOfPage: 'Envoyez le formulaire de la page.',
};

const es: PageTexts = {
  test: 'Modo de prueba',
  testText: 'No se mueve dinero.',
  language: 'Idioma',
  terms: 'Condiciones',
  privacy: 'Privacidad',
  support: 'Ayuda',
  tooMany: 'Demasiadas solicitudes',
  tooManyText: 'Espere unos segundos e inténtelo de nuevo.',
  tryLater: 'Inténtelo de nuevo en breve',
  tryLaterText: 'El servicio de pago no responde. Inténtelo de nuevo en unos segundos.',
  notSent: 'No se pudo enviar el formulario',
  formTooLarge: 'El formulario es demasiado grande.',
  formOfPage: 'Envíe el formulario de la página.',
};

const fa: PageTexts = {
  test: 'حالت آزمایشی',
  testText: 'پولی جابه‌جا نمی‌شود.',
  language: 'زبان',
  terms: 'شرایط',
  privacy: 'حریم خصوصی',
  support: 'راهنما',
  tooMany: 'درخواست‌ها بیش از اندازه است',
  tooManyText: 'چند ثانیه صبر کنید و دوباره تلاش کنید.',
  tryLater: 'کمی بعد دوباره تلاش کنید',
  tryLaterText: 'سرویس پرداخت پاسخ نمی‌دهد. چند ثانیه بعد دوباره تلاش کنید.',
  notSent: 'فرم فرستاده نشد',
  formTooLarge: 'فرم بیش از اندازه بزرگ است.',
  formOfPage: 'فرم همین صفحه را بفرستید.',
};

const ps: PageTexts = {
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
};

export const pageTexts: Translated<PageTexts> = { en, de, fr, es, fa, ps };

import type { Translated } from '../../lib/language.ts';
import type { MethodTexts } from '../provider.ts';

/** What payers read about it. */
export const texts: Translated<MethodTexts> = {
  en: { label: 'Card and other methods', hint: 'Saved for later charges of this subscription.' },
  de: {
    label: 'Karte und weitere Zahlungsarten',
    hint: 'Wird für spätere Zahlungen dieses Abonnements gespeichert.',
  },
  fr: {
    label: 'Carte et autres moyens de paiement',
    hint: 'Enregistré pour les prochains paiements de cet abonnement.',
  },
  es: { label: 'Tarjeta y otros métodos', hint: 'Se guarda para los próximos cobros de esta suscripción.' },
  fa: { label: 'کارت و روش‌های دیگر', hint: 'برای پرداخت‌های بعدی این اشتراک ذخیره می‌شود.' },
  ps: { label: 'کارت او نورې لارې', hint: 'د دې ګډون د راتلونکو تادیو لپاره ساتل کېږي.' },
};

import { defineTexts, useTexts } from '../texts/language.tsx';

const texts = defineTexts({
  en: {
    card_declined: 'Card declined',
    insufficient_funds: 'Insufficient funds',
    expired_card: 'Card expired',
    lost_card: 'Card reported lost',
    stolen_card: 'Card reported stolen',
    authentication_required: 'The bank demands a confirmation',
    do_not_honor: 'Refused by the bank',
    processing_error: 'Error at the bank',
    no_payment_method: 'No payment method',
    unknown_payment_method: 'Unknown payment method',
  },
  de: {
    card_declined: 'Karte abgelehnt',
    insufficient_funds: 'Konto nicht gedeckt',
    expired_card: 'Karte abgelaufen',
    lost_card: 'Karte als verloren gemeldet',
    stolen_card: 'Karte als gestohlen gemeldet',
    authentication_required: 'Die Bank verlangt eine Bestätigung',
    do_not_honor: 'Von der Bank abgelehnt',
    processing_error: 'Fehler bei der Bank',
    no_payment_method: 'Kein Zahlungsmittel',
    unknown_payment_method: 'Unbekanntes Zahlungsmittel',
  },
  fr: {
    card_declined: 'Carte refusée',
    insufficient_funds: 'Provision insuffisante',
    expired_card: 'Carte expirée',
    lost_card: 'Carte déclarée perdue',
    stolen_card: 'Carte déclarée volée',
    authentication_required: 'La banque exige une confirmation',
    do_not_honor: 'Refusé par la banque',
    processing_error: 'Erreur de la banque',
    no_payment_method: 'Aucun moyen de paiement',
    unknown_payment_method: 'Moyen de paiement inconnu',
  },
  fa: {
    card_declined: 'کارت رد شد',
    insufficient_funds: 'موجودی ناکافی',
    expired_card: 'کارت منقضی شده',
    lost_card: 'کارت گم‌شده اعلام شده',
    stolen_card: 'کارت دزدیده‌شده اعلام شده',
    authentication_required: 'بانک تأیید می‌خواهد',
    do_not_honor: 'بانک نپذیرفت',
    processing_error: 'خطا در بانک',
    no_payment_method: 'بدون روش پرداخت',
    unknown_payment_method: 'روش پرداخت ناشناخته',
  },
});

/** Returns a function that says why a payment failed; a reason without words of ours stays as the provider names it. */
export function useFailureWords(): (reason: string) => string {
  const t = useTexts(texts) as Record<string, string>;
  return (reason) => t[reason] ?? reason.replaceAll('_', ' ');
}

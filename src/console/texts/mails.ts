import type { Tone } from '../design/Status.tsx';
import { defineTexts } from './language.tsx';

/** The kinds of mails. */
export const mailKinds = [
  'receipt',
  'invoice_issued',
  'payment_failed',
  'payment_method_expiring',
  'trial_ending',
  'renewal_upcoming',
  'plan_changed',
  'cancelled',
  'portal_code',
  'test',
] as const;

/** The tones of the statuses of a mail. */
export const mailTones = {
  pending: 'waiting',
  sent: 'good',
  failed: 'bad',
  bounced: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<string, Tone>;

/** The words for kinds and statuses of mails. */
export const mailTexts = defineTexts({
  en: {
    receipt: 'Receipt',
    invoice_issued: 'Invoice',
    payment_failed: 'Payment failed',
    payment_method_expiring: 'Payment method expires',
    trial_ending: 'Trial ends',
    renewal_upcoming: 'Renewal',
    plan_changed: 'Plan changed',
    portal_code: 'Sign-in code',
    test: 'Test',
    pending: 'Pending',
    sent: 'Sent',
    failed: 'Failed',
    bounced: 'Bounced',
    cancelled: 'Cancelled',
  },
  de: {
    receipt: 'Quittung',
    invoice_issued: 'Rechnung',
    payment_failed: 'Zahlung fehlgeschlagen',
    payment_method_expiring: 'Zahlungsmittel läuft ab',
    trial_ending: 'Probezeit endet',
    renewal_upcoming: 'Verlängerung',
    plan_changed: 'Tarif gewechselt',
    portal_code: 'Anmeldecode',
    test: 'Test',
    pending: 'Ausstehend',
    sent: 'Gesendet',
    failed: 'Fehlgeschlagen',
    bounced: 'Unzustellbar',
    cancelled: 'Abgebrochen',
  },
  fr: {
    receipt: 'Reçu',
    invoice_issued: 'Facture',
    payment_failed: 'Paiement échoué',
    payment_method_expiring: 'Moyen de paiement expirant',
    trial_ending: 'Fin d’essai',
    renewal_upcoming: 'Renouvellement',
    plan_changed: 'Formule modifiée',
    portal_code: 'Code de connexion',
    test: 'Test',
    pending: 'En attente',
    sent: 'Envoyé',
    failed: 'Échoué',
    bounced: 'Refusé',
    cancelled: 'Annulé',
  },
  fa: {
    receipt: 'رسید',
    invoice_issued: 'فاکتور',
    payment_failed: 'پرداخت ناموفق',
    payment_method_expiring: 'انقضای روش پرداخت',
    trial_ending: 'پایان آزمایش',
    renewal_upcoming: 'تمدید',
    plan_changed: 'تغییر طرح',
    portal_code: 'کد ورود',
    test: 'آزمایش',
    pending: 'در انتظار',
    sent: 'فرستاده شد',
    failed: 'ناموفق',
    bounced: 'برگشت خورد',
    cancelled: 'لغو شد',
  },
});

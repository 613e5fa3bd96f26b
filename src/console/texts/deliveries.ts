import type { Tone } from '../design/Status.tsx';
import { defineTexts } from './language.tsx';

/** The tones of the statuses of a webhook delivery. */
export const deliveryTones = {
  pending: 'waiting',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<string, Tone>;

/** The words for statuses of webhook deliveries. */
export const deliveryTexts = defineTexts({
  en: {
    pending: 'Pending',
    delivered: 'Delivered',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  de: {
    pending: 'Ausstehend',
    delivered: 'Zugestellt',
    failed: 'Fehlgeschlagen',
    cancelled: 'Abgebrochen',
  },
  fr: {
    pending: 'En attente',
    delivered: 'Reçu',
    failed: 'Échoué',
    cancelled: 'Annulé',
  },
  fa: {
    pending: 'در انتظار',
    delivered: 'تحویل شد',
    failed: 'ناموفق',
    cancelled: 'لغو شد',
  },
});

import type { en } from './en.ts';

export const fr: typeof en = {
  credit: 'Temps non utilisé : {of}',
  charge: 'Temps restant : {of}',
  setupFee: '{of}, frais de mise en service',
  share: '{days} jours sur {total}, à {price}',
  units: '{count} × {price}',
  packages: '{count} unités par lots de {size} à {price}',
  flat: 'forfait de {amount}',
  fromPayment: 'La période commence à la réception du paiement',
  lateStart: 'L’abonnement a commencé après le premier jour de la période facturée',
};

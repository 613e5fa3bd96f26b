import type { en } from './en.ts';

export const fr: typeof en = {
  credit: 'Temps non utilisé : {of}',
  charge: 'Temps restant : {of}',
  setupFee: '{of}, frais de mise en service',
  share: '{days} jours sur {total}, à {price}',
  units: '{count} × {price}',
  packages: '{count} unités par lots de {size} à {price}',
  flat: 'forfait de {amount}',
  usage: '{of}, consommation',
  minimumSpend: '{of}, minimum de facturation',
  lateUsage: '{of}, consommation tardive',
  counted: '{count} unités consommées',
  included: '{count} incluses',
  eventShare: '{percent} de {amount} en {count} événements',
  eachEvent: '{amount} par événement',
  most: 'au plus {amount}',
  least: 'au moins {amount}',
  billed: '{amount} déjà facturés',
  fromPayment: 'La période commence à la réception du paiement',
  lateStart: 'L’abonnement a commencé après le premier jour de la période facturée',
};

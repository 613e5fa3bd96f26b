import type { en } from './en.ts';

export const de: typeof en = {
  credit: 'Nicht genutzte Zeit: {of}',
  charge: 'Verbleibende Zeit: {of}',
  setupFee: '{of}, Einrichtungsgebühr',
  share: '{days} von {total} Tagen zu {price}',
  units: '{count} × {price}',
  packages: '{count} Einheiten in Paketen zu {size} für je {price}',
  flat: 'pauschal {amount}',
  usage: '{of}, Nutzung',
  minimumSpend: '{of}, Mindestumsatz',
  lateUsage: '{of}, nachgemeldete Nutzung',
  counted: '{count} Einheiten genutzt',
  included: '{count} enthalten',
  eventShare: '{percent} von {amount} in {count} Vorgängen',
  eachEvent: '{amount} je Vorgang',
  most: 'höchstens {amount}',
  least: 'mindestens {amount}',
  billed: '{amount} bereits berechnet',
  fromPayment: 'Der Zeitraum beginnt mit dem Eingang der Zahlung',
  lateStart: 'Das Abonnement begann nach dem ersten Tag des berechneten Zeitraums',
};

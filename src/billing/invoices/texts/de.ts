import type { en } from './en.ts';

export const de: typeof en = {
  credit: 'Nicht genutzte Zeit: {of}',
  charge: 'Verbleibende Zeit: {of}',
  setupFee: '{of}, Einrichtungsgebühr',
  share: '{days} von {total} Tagen zu {price}',
  units: '{count} × {price}',
  packages: '{count} Einheiten in Paketen zu {size} für je {price}',
  flat: 'pauschal {amount}',
  fromPayment: 'Der Zeitraum beginnt mit dem Eingang der Zahlung',
  lateStart: 'Das Abonnement begann nach dem ersten Tag des berechneten Zeitraums',
};

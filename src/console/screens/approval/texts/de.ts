import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Freigaben',
  arguments: 'Angaben',
  preview: 'Was geschieht',
  noAmounts: 'Es bewegt sofort kein Geld.',
  asker: 'Beantragt von',
  reason: 'Grund',
  requested: 'Beantragt am',
  expires: 'Läuft ab',
  decider: 'Entschieden von',
  decided: 'Entschieden am',
  declineReason: 'Warum abgelehnt wird',
  own: 'Sie haben es beantragt: Jemand anderes entscheidet.',
  approved: 'Ausgeführt',
  declined: 'Abgelehnt',
  decline: 'Ablehnen',
  declineTitle: 'Diesen Antrag ablehnen?',
  approveTitle: 'Freigeben und jetzt ausführen?',
  approveText: (name: string) => `${name} hat es beantragt. Es wird einmal ausgeführt, in Ihrem Namen.`,
};

import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Kunden',
  associatedId: 'Ihre Kennung',
  balance: 'Guthaben',
  create: 'Neuer Kunde',
  empty: 'Noch keine Kunden',
  emptyText:
    'Wer kauft, wird Kunde: wenn Ihre Anwendung ihn über die API anlegt, wenn jemand auf einer Bezahlseite zahlt, oder hier.',
  vatId: 'USt-IdNr.',
  vatIdStatus: { invalid: 'nicht registriert', unavailable: 'noch nicht bestätigt', valid: 'registriert' },
  firstName: 'Vorname',
  lastName: 'Nachname',
  companyName: 'Firma',
  companyHint: 'Wenn die Rechnungen an eine Firma gehen',
  associatedIdHint: 'Die Kennung dieses Kunden in Ihrer eigenen Anwendung',
  createdToast: (name) => `${name} angelegt`,
};

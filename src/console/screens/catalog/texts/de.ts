import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Katalog',
  groups: 'Gruppen',
  group: 'Gruppe',
  prices: 'Preise',
  noPrice: 'Noch kein Preis',
  priceCount: 'Anzahl der Preise',
  active: 'Im Verkauf',
  inactive: 'Nicht im Verkauf',
  taxCode: 'Steuerschlüssel',
  taxCodeHint: 'Wählt die Steuersätze mit diesem Schlüssel. Leer: die Sätze für alle Produkte.',
  newProduct: 'Neues Produkt',
  newGroup: 'Neue Gruppe',
  empty: 'Noch keine Produkte',
  emptyText:
    'Ein Produkt wird abonniert. Es hat einen oder mehrere Preise und kann zu einer Gruppe von Tarifen gehören.',
  noGroups: 'Noch keine Gruppen',
  noGroupsText:
    'Eine Gruppe enthält Tarife, von denen ein Kunde jeweils einen hat, etwa Starter, Pro und Enterprise.',
  description: 'Beschreibung',
  descriptionHint: 'Kunden sehen sie, wo sie auswählen und bezahlen.',
  noGroup: 'Keine Gruppe',
  groupHint: 'Ein Kunde hat jeweils einen Tarif einer Gruppe und kann zwischen ihnen wechseln.',
  prorate: 'Ungenutzte Zeit bei Upgrades gutschreiben',
  prorateHint: 'Ein Upgrade schreibt den Rest des bezahlten Zeitraums gut.',
  deleteGroup: 'Gruppe löschen',
  edit: 'Bearbeiten',
  no: 'Nein',
  createdToast: (name) => `${name} angelegt`,
  deletedToast: (name) => `${name} gelöscht`,
};

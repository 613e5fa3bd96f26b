import type { en } from './en.ts';

export const de: typeof en = {
  title: 'Mandanten anlegen',
  text: 'Ein Mandant ist ein Unternehmen, das abrechnet, mit eigenen Kunden, Preisen und Nummern. Sie werden sein Inhaber.',
  alias: 'Kürzel',
  aliasHint: 'In Adressen und Schlüsseln; bleibt für immer: a–z, 0–9 und Bindestriche dazwischen',
  countryHint:
    'Sitz des Unternehmens; dessen Steuer wird berechnet. Die übrige Adresse steht in den Einstellungen.',
  timezone: 'Zeitzone',
  mode: 'Modus',
  test: 'Test: kein Geld fließt',
  live: 'Live: echtes Geld',
  create: 'Mandanten anlegen',
  back: 'Zurück',
};

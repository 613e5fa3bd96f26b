import type { Language } from './language.tsx';

/** What happened, by the type of the event; `{}` becomes the name and the amount of the record. */
export const sentences: Record<Language, Record<string, string>> = {
  en: { 'CustomerEvent.created': 'Customer created' },
  de: { 'CustomerEvent.created': 'Kunde angelegt' },
  fr: { 'CustomerEvent.created': 'Client créé' },
  fa: { 'CustomerEvent.created': 'مشتری ایجاد شد' },
};

import { useFormat, type Format } from './format.ts';
import { useLanguage, useTexts } from './language.tsx';
import { defineTexts } from './language.tsx';
import { sentences } from './eventSentences.ts';

/** The parts of a trace from which its sentence is made. */
export interface EventLike {
  executorId: string;
  payload: Record<string, unknown>;
  event: { type: string };
}

const actors = defineTexts({
  en: { system: 'automatically', payer: 'by the customer', operator: 'in the console', key: 'by an API key' },
  de: {
    system: 'automatisch',
    payer: 'durch den Kunden',
    operator: 'in der Konsole',
    key: 'mit einem API-Schlüssel',
  },
  fr: {
    system: 'automatiquement',
    payer: 'par le client',
    operator: 'dans la console',
    key: 'par une clé d’API',
  },
  fa: { system: 'خودکار', payer: 'توسط مشتری', operator: 'در کنسول', key: 'با کلید API' },
});

/** Returns a function that writes what happened, and who did it. */
export function useEventSentence(): (event: EventLike) => { sentence: string; actor: string | undefined } {
  const { language } = useLanguage();
  const format = useFormat();
  const t = useTexts(actors);
  return ({ event: { type }, payload, executorId }) => {
    const template = sentences[language][type] ?? type;
    const [kind] = executorId.split(':');
    return {
      sentence: template.replace('{}', findLabel(payload, format)).trim(),
      actor: t[(kind ?? '') as keyof typeof t] ?? (executorId.startsWith('key_') ? t.key : undefined),
    };
  };
}

/** What the record is called: its number, its product, its amount. */
function findLabel(payload: Record<string, unknown>, format: Format): string {
  const record = (payload['after'] ?? payload['object'] ?? payload) as Record<string, unknown>;
  const name = record['documentNumber'] ?? record['productName'] ?? record['name'] ?? record['code'];
  const amount = findAmount(payload['details']) ?? findAmount(record);
  return [typeof name === 'string' ? name : '', amount ? format.money(amount) : '']
    .filter(Boolean)
    .join(', ');
}

function findAmount(source: unknown): { decimal: string; currency: string } | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const { total, amount, currency } = source as Record<string, unknown>;
  const found = total ?? amount;
  if (typeof found === 'object' && found !== null) return findAmount(found);
  if (typeof currency !== 'string' || (typeof found !== 'number' && typeof found !== 'string'))
    return undefined;
  return { decimal: String(found), currency };
}

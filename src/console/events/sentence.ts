import { useSession } from '../data/session.tsx';
import { useFormat, type Amount, type Format } from '../texts/format.ts';
import { texts } from './texts.ts';
import { useTexts } from '../texts/language.tsx';

/** The parts of a trace from which its sentence is made. */
export interface EventLike {
  executorId: string;
  payload: Record<string, unknown>;
  event: { type: string };
}

/** Returns a function that writes what happened, and how it came about. */
export function useEventSentence(): (event: EventLike) => { sentence: string; actor: string } {
  const { operator } = useSession();
  const format = useFormat();
  const t = useTexts(texts);
  return ({ event: { type }, payload, executorId }) => {
    const template = (t.sentences as Record<string, string>)[type] ?? type;
    const sentence = template.replace('{}', findLabel(payload, format)).replace(/\s+/g, ' ').trim();
    return { sentence, actor: t.actors[findActor(executorId, operator.id)] };
  };
}

/** Who caused an event, by the executor in its trace. */
function findActor(
  executorId: string,
  operatorId: string,
): 'you' | 'system' | 'customer' | 'operator' | 'key' {
  const [kind, id] = executorId.split(':');
  if (kind === 'operator') return id === operatorId ? 'you' : 'operator';
  if (kind === 'customer' || executorId === 'system:payer') return 'customer';
  return kind === 'system' ? 'system' : 'key';
}

const nameFields = ['documentNumber', 'productName', 'code', 'name', 'description'];

/** What the record is called: its number, its product, its amount. */
function findLabel({ object, details }: Record<string, unknown>, format: Format): string {
  const record = isRecord(object) ? object : {};
  const names: unknown[] = nameFields.map((key) => record[key]);
  if ('role' in record) names.push(record['email']);
  const name = names.find((each) => typeof each === 'string' && each !== '');
  const amount = findAmount(details) ?? findAmount(record);
  return [name, amount && format.money(amount)].filter(Boolean).join(', ');
}

/** The amount of a record: beside its currency, or in an amount of its own. */
function findAmount(source: unknown): Amount | undefined {
  if (!isRecord(source)) return undefined;
  const { amount, total, price, currency } = source;
  const nested = findAmount(amount) ?? findAmount(total) ?? findAmount(price);
  if (nested) return nested;
  const value = [amount, total].find((each) => typeof each === 'number');
  if (typeof currency !== 'string' || typeof value !== 'number') return undefined;
  // Payloads have numbers: 12.5 is 12.50.
  const style = { style: 'currency', currency } as const;
  const digits = new Intl.NumberFormat('en', style).resolvedOptions().maximumFractionDigits ?? 2;
  const own = String(value).split('.')[1]?.length ?? 0;
  return { currency, decimal: value.toFixed(Math.max(digits, own)) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

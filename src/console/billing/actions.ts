/** Requests for actions in words. */
import { useTexts } from '../texts/language.tsx';
import { useFormat } from '../texts/format.ts';
import type { Tone } from '../design/Status.tsx';
import { texts } from './texts.ts';

interface Shown {
  kind: string;
  amount: { amount: number; decimal: string; currency: string } | null;
  credits: string | null;
}

const tones: Record<string, Tone> = {
  pending: 'waiting',
  approved: 'good',
  declined: 'neutral',
  withdrawn: 'neutral',
  expired: 'late',
  failed: 'bad',
};

/** Returns what names operations, amounts and statuses. */
export function useActionWords() {
  const t = useTexts(texts).actionWords;
  const format = useFormat();
  const nameOf = (names: Record<string, string>, word: string): string => names[word] ?? word;
  const writeAmount = ({ amount, credits }: Shown): string =>
    amount ? format.money(amount) : t.credits(format.number(Number(credits)));
  return {
    writeOperation: (operation: string) => nameOf(t.operations, operation),
    writeKind: (kind: string) => nameOf(t.kinds, kind),
    writeAmount,
    /** What a button approves: the operation, and its first amount. */
    writeAct: (operation: string, amounts: readonly Shown[]) =>
      amounts[0]
        ? t.act(nameOf(t.operations, operation), writeAmount(amounts[0]))
        : nameOf(t.operations, operation),
    describeStatus: (status: string) => ({
      name: nameOf(t.statuses, status),
      tone: tones[status] ?? 'neutral',
    }),
  };
}

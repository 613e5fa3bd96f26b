import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

/** Returns a function that says why a payment failed; a reason without words of ours stays as the provider names it. */
export function useFailureWords(): (reason: string) => string {
  const t = useTexts(texts).failures as Record<string, string>;
  return (reason) => t[reason] ?? reason.replaceAll('_', ' ');
}

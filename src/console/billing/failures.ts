import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

interface Decline {
  /** Null for money that was not charged, and for declines of earlier releases. */
  code: keyof typeof texts.en.failures | null;
  /** The provider's own word. */
  reason: string;
}

/** Returns a function that says why a payment failed; a reason without a code stays as the provider names it. */
export function useFailureWords(): (decline: Decline) => string {
  const t = useTexts(texts).failures;
  return ({ code, reason }) => {
    const own = reason.replaceAll('_', ' ');
    if (code === null) return own;
    return code === 'declined' && own !== code ? `${t[code]} (${own})` : t[code];
  };
}

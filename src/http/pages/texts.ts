/** The texts that all pages share. */
import type { Translated } from '../../lib/language.ts';

interface PageTexts {
  /** The mark on pages of test tenants. */
  test: string;
}

export const pageTexts: Translated<PageTexts> = {
  en: { test: 'Test: no money moves' },
  de: { test: 'Test: Es fließt kein Geld' },
  fr: { test: 'Test : aucun argent ne circule' },
  es: { test: 'Prueba: no se mueve dinero' },
  fa: { test: 'آزمایشی: پولی جابه‌جا نمی‌شود' },
  ps: { test: 'ازمېښتي: پیسې نه لېږدول کېږي' },
};

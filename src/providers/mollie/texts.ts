import type { Translated } from '../../lib/language.ts';
import type { MethodTexts } from '../provider.ts';

/** What payers read about it. */
export const texts: Translated<MethodTexts> = {
  en: { label: 'Card, iDEAL, PayPal and others', hint: 'You pay on the page of Mollie and come back here.' },
  de: {
    label: 'Karte, iDEAL, PayPal und andere',
    hint: 'Sie zahlen auf der Seite von Mollie und kommen hierher zurück.',
  },
  fr: {
    label: 'Carte, iDEAL, PayPal et autres',
    hint: 'Vous payez sur la page de Mollie, puis vous revenez ici.',
  },
  es: { label: 'Tarjeta, iDEAL, PayPal y otros', hint: 'Paga en la página de Mollie y después vuelve aquí.' },
  fa: {
    label: 'کارت، iDEAL، PayPal و روش‌های دیگر',
    hint: 'در صفحهٔ Mollie پرداخت می‌کنید و سپس به اینجا برمی‌گردید.',
  },
  ps: {
    label: 'کارت، iDEAL، PayPal او نورې لارې',
    hint: 'تاسو د Mollie په پاڼه کې پیسې ورکوئ او بیا دلته راګرځئ.',
  },
};

import type { en } from './en.ts';

export const ps: typeof en = {
  label: 'کارت، iDEAL، PayPal او نورې لارې',
  hint: 'تاسو د Mollie په پاڼه کې پیسې ورکوئ او بیا دلته راګرځئ.',
};

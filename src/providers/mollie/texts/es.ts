import type { en } from './en.ts';

export const es: typeof en = {
  label: 'Tarjeta, iDEAL, PayPal y otros',
  hint: 'Paga en la página de Mollie y después vuelve aquí.',
};

import type { en } from './en.ts';

export const es: typeof en = {
  label: 'Tarjeta y otros métodos',
  hint: 'Se guarda para los próximos cobros de esta suscripción.',
};

import type { en } from './en.ts';

export const ps: typeof en = {
  label: 'کارت او نورې لارې',
  hint: 'د دې ګډون د راتلونکو تادیو لپاره ساتل کېږي.',
};

import type { en } from './en.ts';

export const he: typeof en = {
  label: 'כרטיס ואמצעים נוספים',
  hint: 'יישמר לחיובים הבאים של מינוי זה.',
};

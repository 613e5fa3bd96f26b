import type { en } from './en.ts';

export const he: typeof en = {
  label: 'כרטיס, iDEAL, PayPal ואמצעים נוספים',
  hint: 'התשלום נעשה בעמוד של Mollie, ואחריו חוזרים לכאן.',
};

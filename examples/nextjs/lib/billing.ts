import { Perennial } from '@perennial/sdk';
import { readSetting } from './settings';

let client: Perennial | undefined;

/** Returns the client of the billing server; it is made at the first request, since `next build` has no settings. */
export const billing = (): Perennial =>
  (client ??= new Perennial({ url: readSetting('BILLING_URL'), key: readSetting('API_KEY') }));

// Lists the providers that charge, one for each folder here. `npm run generate` writes this file.
import { mollie } from './mollie/index.ts';
import { stripe } from './stripe/index.ts';

export const chargingProviders = [stripe, mollie] as const;

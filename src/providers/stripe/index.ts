import { scriptAddress, webAddress } from '../../lib/settingSchemas.ts';
import { declareProvider } from '../descriptor.ts';
import { declines, hardDeclines } from './declines.ts';

export const stripe = declareProvider({
  name: 'stripe',
  title: 'Stripe',
  description: 'Stripe.',
  addresses: {
    url: { schema: webAddress, default: 'https://api.stripe.com', help: "base URL of Stripe's API" },
    scriptUrl: {
      schema: scriptAddress,
      default: 'https://js.stripe.com/v3/',
      help: "URL of Stripe's script for the card form",
    },
  },
  secrets: {
    secretKey: {
      description: 'A secret key (`sk_…`) or restricted key (`rk_…`); test keys for test tenants.',
      form: /^(sk|rk)_(test|live)_\w{10,}$/,
      serverForm: /^(sk|rk)_(test|live)_\w+$/,
      message: 'must be a Stripe secret or restricted key',
      example: 'sk_…',
    },
    webhookSecret: {
      description: 'The signing secret (`whsec_…`) of the webhook endpoint, whose URL is `callbackUrl`.',
      form: /^whsec_[\w+/=-]{10,}$/,
      serverForm: /^whsec_\S+$/,
      message: "must be the signing secret of Stripe's webhook endpoint",
      example: 'whsec_…',
    },
  },
  settings: {
    publishableKey: {
      description: 'The publishable key (`pk_…`), for card fields.',
      form: /^pk_(test|live)_\w{10,}$/,
      serverForm: /^pk_(test|live)_\w+$/,
      message: 'must be a Stripe publishable key',
      example: 'pk_…',
      placeholder: 'key',
      help: "Stripe's publishable key, for the card form of the payment page; no default",
    },
  },
  needsEndpoint: true,
  declines,
  hardDeclines,
  isLive: ({ secretKey = '' }) => secretKey.includes('_live_'),
  open: async ({ secrets, settings, addresses, publicUrl, clock }) => {
    const { createStripe } = await import('./stripe.ts');
    const { secretKey = '', webhookSecret = '' } = secrets;
    const { url = '', scriptUrl = '' } = addresses;
    const { publishableKey } = settings;
    return createStripe({ secretKey, webhookSecret, publishableKey, scriptUrl, url, publicUrl, clock });
  },
});

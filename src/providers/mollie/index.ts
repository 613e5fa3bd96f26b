import { webAddress } from '../../lib/settingSchemas.ts';
import { declareProvider } from '../descriptor.ts';
import { declines, hardDeclines } from './declines.ts';

export const mollie = declareProvider({
  name: 'mollie',
  title: 'Mollie',
  description: 'Mollie.',
  addresses: {
    url: { schema: webAddress, default: 'https://api.mollie.com', help: "base URL of Mollie's API" },
  },
  secrets: {
    apiKey: {
      description: 'An API key: `live_…`, or `test_…` for test tenants.',
      form: /^(test|live)_\w{20,}$/,
      message: 'must be an API key of Mollie',
      example: 'live_…',
    },
  },
  settings: {},
  declines,
  hardDeclines,
  isLive: ({ apiKey = '' }) => apiKey.startsWith('live_'),
  open: async ({ secrets, addresses, publicUrl, callbackPath }) => {
    const { createMollie } = await import('./mollie.ts');
    const { apiKey = '' } = secrets;
    return createMollie({ apiKey, url: addresses['url']!, publicUrl, callbackPath });
  },
});

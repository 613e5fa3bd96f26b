// What an account at each payment provider consists of, from its descriptor. `npm run generate` writes this file.
export const providerAccounts = {
  stripe: {
    title: 'Stripe',
    fields: [
      { name: 'secretKey', isSecret: true, example: 'sk_…' },
      { name: 'publishableKey', isOptional: true, example: 'pk_…' },
      { name: 'webhookSecret', isSecret: true, example: 'whsec_…' },
    ],
    needsEndpoint: true,
  },
  mollie: { title: 'Mollie', fields: [{ name: 'apiKey', isSecret: true, example: 'live_…' }] },
} as const;

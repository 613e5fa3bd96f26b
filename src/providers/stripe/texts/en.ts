/** What payers read about Stripe. */
export const en = { label: 'Card and other methods', hint: 'Saved for later charges of this subscription.' };

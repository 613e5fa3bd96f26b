/** What payers read about Mollie. */
export const en = {
  label: 'Card, iDEAL, PayPal and others',
  hint: 'You pay on the page of Mollie and come back here.',
};

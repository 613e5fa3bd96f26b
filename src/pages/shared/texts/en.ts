/** The texts that all pages share. */
export const en = {
  /** The band on pages of test tenants. */
  test: 'Test mode',
  testText: 'No money moves.',
  language: 'Language',
  terms: 'Terms',
  privacy: 'Privacy',
  support: 'Help',
  tooMany: 'Too many requests',
  tooManyText: 'Wait a few seconds, then try again.',
  tryLater: 'Try again soon',
  tryLaterText: 'The payment service is not responding. Try again in a few seconds.',
  notSent: 'The form could not be sent',
  formTooLarge: 'The form is too large.',
  formOfPage: 'Send the form of the page.',
  documentGone: 'This document is not here',
  documentGoneText: 'The link has expired or is not complete. Ask for a new one.',
};

export const en = {
  title: 'Add a passkey or set a password',
  text: 'The link that you opened worked once. Choose how you sign in from now on, and how you confirm what is sensitive, such as refunds and keys.',
  later: 'Not now',
  laterText:
    'You can do it later under “Your account”. Refunds, keys, exports and operators will ask for it after ten minutes.',
};

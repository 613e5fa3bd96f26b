export const en = {
  title: 'Create a tenant',
  text: 'A tenant is a business that bills, with customers, prices and numbers of its own. You become its owner.',
  alias: 'Alias',
  aliasHint: 'In addresses and keys; never changes: a–z, 0–9 and inner hyphens',
  countryHint: 'Where the business is; its tax is charged. The settings take the rest of the address.',
  timezone: 'Time zone',
  mode: 'Mode',
  test: 'Test: no money moves',
  live: 'Live: real money',
  create: 'Create the tenant',
  back: 'Back',
};

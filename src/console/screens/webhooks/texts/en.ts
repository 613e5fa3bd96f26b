export const en = {
  title: 'Webhooks',
  url: 'URL',
  description: 'Purpose',
  all: 'all events',
  inactive: 'Switched off',
  create: 'New endpoint',
  empty: 'No endpoints yet',
  emptyText:
    'An endpoint is a URL of yours that receives events as they happen, signed and retried for three days.',
  urlHint: 'https, or http in a test tenant',
  eventsHint: 'All events, unless some are picked',
  eventsChosen: (names: string) => `Picked: ${names}`,
  allOfKind: 'All of these',
  secret: 'Signing secret',
  secretNote: 'Copy it now: it is not shown again.',
  copy: 'Copy secret',
};

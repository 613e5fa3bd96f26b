export const en = {
  title: 'Test clock',
  now: 'The tenant’s time',
  to: 'Advance to',
  day: 'A day',
  week: 'A week',
  month: 'A month',
  year: 'A year',
  slider: 'Days ahead',
  forecast: 'What would happen',
  charges: 'Charges',
  total: 'Total',
  nothing: 'No charges until then.',
  happened: 'What happened',
  waiting: 'Events appear here as they happen.',
  live: 'This is not a test tenant: its time is the real one, and cannot be moved.',
  liveText:
    'A test tenant shows what happens in a month or a year: its clock is advanced, and renewals, mails and webhooks follow.',
  newTest: 'Create a test tenant',
  notOwn:
    'This test tenant has no clock of its own yet. Advancing it gives it one, which then moves only by hand.',
  advance: (date: string) => `Advance to ${date}`,
  advanceTo: (date: string) => `Advance to ${date} …`,
  advanceNote: (date: string) =>
    `Everything due until ${date} happens: invoices are issued and charged, mails are sent, webhooks are called. A clock cannot be turned back.`,
  working: (left: string) => `Working: ${left} changes left`,
  days: (count: string) => `${count} days`,
};

export const en = {
  title: 'Events',
  type: 'Event',
  record: 'Record',
  executor: 'Caused by',
  happened: 'What happened',
  empty: 'No events yet',
  emptyText: 'Every change of the tenant’s data is recorded here, with who caused it.',
};

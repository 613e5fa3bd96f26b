export const en = {
  parent: 'Events',
  event: 'Event',
  record: 'Record',
  executor: 'Caused by',
  cause: 'Cause',
  changes: 'Changes',
  details: 'Details',
  object: 'Record after the change',
  deliveries: 'Deliveries',
  endpoint: 'Endpoint',
  noDeliveries: 'No endpoint asked for this event.',
};

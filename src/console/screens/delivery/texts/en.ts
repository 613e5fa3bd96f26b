export const en = {
  parent: 'Endpoint',
  delivery: 'Delivery',
  endpoint: 'Sent to',
  sequence: 'Sequence',
  finished: 'Finished',
  event: 'Event',
  payload: 'Event as stored',
  resend: 'Send again',
  resent: 'Sending again',
  summary: (count: string) => `${count} tries`,
};

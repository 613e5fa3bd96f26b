export const en = {
  parent: 'Mails',
  mail: 'Mail',
  recipient: 'To',
  finished: 'Finished',
  resend: 'Send again',
  resent: 'Sending again',
  content: 'Content',
  composedNow:
    'Composed now from the current records and texts; what was sent may have read differently. Codes and links are hidden.',
  asSentNow: 'As it would be sent now. Codes and links are hidden.',
  gone: 'No content: a record that this mail was about was deleted, or the customer’s data were erased.',
};

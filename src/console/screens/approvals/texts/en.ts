export const en = {
  title: 'Approvals',
  operation: 'Action',
  amounts: 'Amounts',
  asker: 'Asked by',
  requested: 'Asked on',
  empty: 'Nothing to approve',
  emptyText: 'Keys with the permission to ask for approvals leave here what moves money or cannot be undone.',
};

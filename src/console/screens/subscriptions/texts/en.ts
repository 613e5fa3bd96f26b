export const en = {
  title: 'Subscriptions',
  product: 'Product',
  status: 'Status',
  customer: 'Customer',
  next: 'Next invoice',
  ends: 'Ends',
  price: 'Price',
  currency: 'Currency',
  pastDue: 'Past due since',
  trial: 'Trial until',
  id: 'Id',
  created: 'Created',
  empty: 'No subscriptions yet',
  emptyText:
    'A subscription starts when a customer pays a subscription intent on the payment page, or through your application.',
};

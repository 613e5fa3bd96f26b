export const en = {
  title: 'Subscriptions',
  next: 'Next invoice',
  price: 'Price',
  pastDue: 'Past due since',
  trial: 'Trial until',
  empty: 'No subscriptions yet',
  emptyText:
    'A subscription starts when a customer pays a subscription intent on the payment page, or through your application.',
};

import type { Plural } from '../../../lib/texts.ts';
import type { Frequency } from '../../../storage/model/common.ts';
import type { MailText } from '../events.ts';
import type { DeclineReason, FactName } from '../facts.ts';

/** A mail in one language. `body` and `subject` have placeholders such as `{customer.firstName}`. */
interface StandardText {
  subject: string;
  heading: string;
  /** Paragraphs, separated by an empty line. */
  body: string;
  /** The button; null for a mail without one. */
  action: string | null;
}

/** Facts that a list shows with a label. */
type LabelledFact = Exclude<FactName, `customer.${string}` | 'merchant.name' | 'code'>;

/** The texts of the mails. `{name}` in braces is replaced. */
export const en = {
  mails: {
    receipt: {
      subject: 'Your receipt from {merchant.name}',
      heading: 'Thank you for your payment',
      body: 'Hello {customer.firstName},\n\nWe have received your payment of {invoice.total}. If an invoice is attached, keep it for your records.',
      action: 'View invoices',
    },
    invoice_issued: {
      subject: 'Invoice {invoice.number} from {merchant.name}',
      heading: 'Your invoice',
      body: 'Hello {customer.firstName},\n\nPlease transfer {invoice.total} by {invoice.dueDate}. Quote the reference, so that we can match your payment.',
      action: 'View invoice',
    },
    invoice_sent: {
      subject: 'Invoice {invoice.number} from {merchant.name}',
      heading: 'Your invoice',
      body: 'Hello {customer.firstName},\n\nHere is your invoice over {invoice.total}.',
      action: 'View invoice',
    },
    invoice_overdue: {
      subject: 'Reminder: invoice {invoice.number} from {merchant.name} is overdue',
      heading: 'Your invoice is overdue',
      body: 'Hello {customer.firstName},\n\nWe have not received {invoice.total} yet, which was due on {invoice.dueDate}. If you have paid in the meantime, please ignore this message.',
      action: 'View invoice',
    },
    payment_failed: {
      subject: 'Your payment to {merchant.name} failed',
      heading: 'Your payment failed',
      body: 'Hello {customer.firstName},\n\nWe could not charge {invoice.total} to your payment method. Please update it to keep your subscription.',
      action: 'Update payment method',
    },
    payment_method_expiring: {
      subject: 'Your card for {merchant.name} expires soon',
      heading: 'Your card expires soon',
      body: 'Hello {customer.firstName},\n\n{paymentMethod.name} expires {paymentMethod.expiry}. Please add a new card before the next payment.',
      action: 'Update payment method',
    },
    trial_ending: {
      subject: 'Your trial of {subscription.product} ends on {trial.endDate}',
      heading: 'Your trial ends soon',
      body: 'Hello {customer.firstName},\n\nYour trial of {subscription.product} ends on {trial.endDate}. Your paid subscription begins then, unless you cancel before that date.',
      action: 'Manage subscription',
    },
    renewal_upcoming: {
      subject: '{subscription.product} renews on {subscription.renewalDate}',
      heading: 'Your subscription renews soon',
      body: 'Hello {customer.firstName},\n\nYour subscription to {subscription.product} renews automatically on {subscription.renewalDate}. You can cancel before that date.',
      action: 'Manage subscription',
    },
    plan_changed: {
      subject: 'Your plan is now {subscription.product}',
      heading: 'Your plan has changed',
      body: 'Hello {customer.firstName},\n\nYour subscription has changed to {subscription.product}.',
      action: 'Manage subscription',
    },
    plan_change_scheduled: {
      subject: 'Your plan changes to {subscription.product}',
      heading: 'Your plan will change',
      body: 'Hello {customer.firstName},\n\nYour subscription will change to {subscription.product}. Until then nothing changes.',
      action: 'Manage subscription',
    },
    cancelled: {
      subject: 'Your subscription to {subscription.product} has ended',
      heading: 'Your subscription has ended',
      body: 'Hello {customer.firstName},\n\nYour subscription to {subscription.product} has ended. It is not renewed any more.',
      action: 'View invoices',
    },
    cancellation_scheduled: {
      subject: 'Your subscription to {subscription.product} is cancelled',
      heading: 'Your cancellation is confirmed',
      body: 'Hello {customer.firstName},\n\nYour subscription to {subscription.product} is cancelled and ends on {subscription.endDate}. You can use it until then.',
      action: 'Manage subscription',
    },
    email_changed: {
      subject: 'Your e-mail address at {merchant.name} was changed',
      heading: 'Your e-mail address was changed',
      body: 'Hello {customer.firstName},\n\nMessages from {merchant.name} go to another address from now on; this one gets no more of them.\n\nIf you did not ask for this, please contact us at once.',
      action: null,
    },
    refund: {
      subject: 'Your refund from {merchant.name}',
      heading: 'Your refund is on its way',
      body: 'Hello {customer.firstName},\n\nWe have refunded {refund.amount}. Depending on your bank, it can take up to ten business days until you see it. If a credit note is attached, keep it for your records.',
      action: 'View invoices',
    },
    credit_note: {
      subject: 'Credit note {creditNote.number} from {merchant.name}',
      heading: 'Your credit note',
      body: 'Hello {customer.firstName},\n\nWe have issued a credit note over {creditNote.total} for invoice {invoice.number}. It is attached.',
      action: 'View invoices',
    },
    subscription_started: {
      subject: 'Your subscription to {subscription.product}',
      heading: 'Thank you for subscribing',
      body: 'Hello {customer.firstName},\n\nThis message confirms your subscription to {subscription.product}.',
      action: 'Manage subscription',
    },
    subscription_paused: {
      subject: 'Your subscription to {subscription.product} is paused',
      heading: 'Your subscription is paused',
      body: 'Hello {customer.firstName},\n\nYour subscription to {subscription.product} is paused. Nothing is charged until it continues.',
      action: 'Manage subscription',
    },
    subscription_resumed: {
      subject: 'Your subscription to {subscription.product} continues',
      heading: 'Your subscription continues',
      body: 'Hello {customer.firstName},\n\nThe pause of your subscription to {subscription.product} has ended. The subscription continues.',
      action: 'Manage subscription',
    },
    usage_alert: {
      subject: 'You have reached {usage.percent} of your limit of {usage.feature}',
      heading: '{usage.percent} of your limit is used',
      body: 'Hello {customer.firstName},\n\nYou have reached {usage.percent} of your limit of {usage.feature}: {usage.used} of {usage.limit} are used.',
      action: 'View usage',
    },
    spend_alert: {
      subject: 'Your usage of {subscription.product} has reached {spend.amount}',
      heading: 'Your usage has reached {spend.amount}',
      body: 'Hello {customer.firstName},\n\nYour usage of {subscription.product} has cost {spend.spent} in this period so far, before discounts, credit and tax.',
      action: 'View usage',
    },
    credit_alert: {
      subject: 'Your credit at {merchant.name}: {credit.left} left',
      heading: 'Your remaining credit',
      body: 'Hello {customer.firstName},\n\nOf your credit of {credit.amount}, {credit.left} are left.',
      action: 'View usage',
    },
    portal_code: {
      subject: '{code} is your code for {merchant.name}',
      heading: 'Your sign-in code',
      body: 'Enter this code to sign in. It is valid for 10 minutes.\n\nIf you did not ask for it, you can ignore this message. Nobody from {merchant.name} will ever ask you for this code.',
      action: null,
    },
    test: {
      subject: 'Test mail from {merchant.name}',
      heading: 'Mail works',
      body: 'This is a test. Mails of {merchant.name} reach this address.',
      action: null,
    },
  } satisfies Record<MailText, StandardText>,
  labels: {
    'invoice.number': 'Invoice',
    'invoice.total': 'Total',
    'invoice.date': 'Date',
    'invoice.dueDate': 'Due date',
    'payment.reason': 'Reason',
    'payment.nextAttempt': 'Next attempt',
    'paymentMethod.name': 'Payment method',
    'paymentMethod.expiry': 'Expires',
    'subscription.product': 'Subscription',
    'subscription.price': 'Price',
    'subscription.startDate': 'Starts on',
    'subscription.renewalDate': 'Next renewal',
    'subscription.endDate': 'End date',
    'subscription.changeDate': 'Changes on',
    'subscription.pauseDate': 'Paused since',
    'subscription.resumeDate': 'Continues on',
    'trial.endDate': 'Trial ends on',
    'refund.amount': 'Refund',
    'creditNote.number': 'Credit note',
    'creditNote.total': 'Amount',
    'creditNote.date': 'Date',
    'creditNote.reason': 'Reason',
    'usage.feature': 'Limit of',
    'usage.percent': 'Share of the limit',
    'usage.used': 'Used',
    'usage.limit': 'Limit',
    'usage.resetDate': 'Counts anew on',
    'spend.amount': 'Reached',
    'spend.spent': 'Usage so far',
    'credit.name': 'Credit',
    'credit.amount': 'Amount',
    'credit.left': 'Left',
    'credit.expiry': 'Valid until',
    'bank.accountHolder': 'Account holder',
    'bank.iban': 'IBAN',
    'bank.accountNumber': 'Account number',
    'bank.bic': 'BIC',
    'bank.name': 'Bank',
    'bank.reference': 'Reference',
  } satisfies Record<LabelledFact, string>,
  reasons: {
    insufficient_funds: 'Insufficient funds',
    expired: 'The card has expired',
    confirmation: 'Your bank asks you to confirm the payment',
    limit: 'A limit of your card or account was exceeded',
    details: 'A detail of the card or account is not correct',
    account: 'The card or account can no longer be used',
    mandate: 'Your permission to debit the account is missing or has ended',
    error: 'Your bank had an error',
    method: 'There is no payment method that can be charged',
    declined: 'Declined by your bank',
  } satisfies Record<DeclineReason, string>,
  methods: { card: 'Card', sepa_debit: 'SEPA direct debit', other: 'Payment method' },
  /** The price of an interval. */
  every: {
    Daily: { one: '{price} per day', other: '{price} every {count} days' },
    Weekly: { one: '{price} per week', other: '{price} every {count} weeks' },
    Monthly: { one: '{price} per month', other: '{price} every {count} months' },
    Yearly: { one: '{price} per year', other: '{price} every {count} years' },
  } satisfies Record<Frequency, Plural> as Record<Frequency, Plural>,
  /** The line above the merchant's address. */
  sentBy: '{merchant} sent you this message about your purchase.',
  questions: 'Questions?',
  terms: 'Terms',
  privacy: 'Privacy',
  /** Introduces the address of the button, for readers who see no button. */
  link: 'Or open this address:',
};

import type { CancellationReason } from '../../../billing/subscriptions/lifecycle.ts';
import type { SubscriptionStatus } from '../../../billing/subscriptions/subscriptions.ts';
import type { Frequency } from '../../../storage/model/common.ts';
import type { Row } from '../../../storage/model/rowTypes.ts';

type Text = string;

/** The messages about the last request. */
export type Notice =
  | 'alreadyPaid'
  | 'cancelled'
  | 'cancellationScheduled'
  | 'cancellationUndone'
  | 'changed'
  | 'changeScheduled'
  | 'changeUndone'
  | 'codeApplied'
  | 'detailsSaved'
  | 'discountApplied'
  | 'invoicePaid'
  | 'methodAdded'
  | 'methodRemoved'
  | 'methodSet'
  | 'paymentPending'
  | 'paymentStopped'
  | 'paused'
  | 'resumed'
  | 'signedOut';

/** Why a request was refused. */
export type Problem =
  | 'amountIncreased'
  | 'codeUnusable'
  | 'codeWrong'
  | 'detailsRefused'
  | 'formExpired'
  | 'methodInUse'
  | 'methodRefused'
  | 'notPossible'
  | 'paymentDeclined'
  | 'quantityRefused'
  | 'tooMany'
  | 'unavailable';

/** All words of the portal in one language. Parameters are formatted text. */
export interface PortalTexts {
  skip: Text;
  menu: Text;
  subscriptions: Text;
  methods: Text;
  /** The name of the payment methods in the menu, which has one line on a phone. */
  payment: Text;
  invoices: Text;
  details: Text;
  balance: Text;
  signOut: Text;
  switchAccount: Text;
  backToSite: (seller: Text) => Text;
  backToOverview: Text;
  back: Text;

  signIn: Text;
  signInLead: Text;
  signInByLinkOnly: Text;
  email: Text;
  sendCode: Text;
  codeSent: Text;
  code: Text;
  confirmCode: Text;
  anotherAddress: Text;
  linkTitle: Text;
  linkLead: (seller: Text) => Text;
  openAccount: Text;
  linkUsed: Text;
  chooseAccount: Text;

  statuses: Record<SubscriptionStatus, Text>;
  noSubscriptions: Text;
  manage: Text;
  quantity: Text;
  addOns: Text;
  /** The price of an interval: `€5.00 a month`. */
  per: (price: Text, frequency: Frequency, period: number, count: Text) => Text;
  nextInvoice: (amount: Text, day: Text) => Text;
  /** When and how much, below the label `chargedThen`. */
  amountOn: (amount: Text, day: Text) => Text;
  nextDate: (day: Text) => Text;
  trialUntil: (day: Text) => Text;
  trialNeedsMethod: (day: Text) => Text;
  endsOn: (day: Text) => Text;
  endedOn: (day: Text) => Text;
  startsOn: (day: Text) => Text;
  changesTo: (product: Text, day: Text) => Text;
  pausedSince: (day: Text) => Text;
  pastDue: (amount: Text) => Text;
  fixPayment: Text;

  unpaid: Text;
  /** The name of an invoice. */
  invoice: (number: Text) => Text;
  dueOn: (day: Text) => Text;
  dueSince: (day: Text) => Text;
  payNow: (amount: Text) => Text;
  willCharge: (method: Text) => Text;
  needsMethod: Text;
  awaitsTransfer: Text;
  payByCard: Text;
  underWay: Text;
  continuePayment: Text;
  stopPayment: Text;
  awaitsCheckout: Text;
  toCheckout: Text;
  askSeller: (seller: Text) => Text;

  changePlan: Text;
  plan: Text;
  currentPlan: Text;
  removeAddOn: Text;
  preview: Text;
  previewTitle: Text;
  nothingChanges: Text;
  effective: Text;
  now: Text;
  chargedNow: Text;
  chargedThen: Text;
  nothing: Text;
  confirmFree: Text;
  confirmCharge: (amount: Text) => Text;
  undoChange: Text;
  lines: Record<Row<'invoiceLines'>['kind'], (product: Text) => Text>;
  range: (from: Text, to: Text) => Text;
  discount: Text;
  tax: (percent: Text) => Text;
  includedTax: (percent: Text) => Text;

  cancel: Text;
  cancelTitle: (product: Text) => Text;
  cancelWhen: Text;
  cancelAtEnd: (day: Text) => Text;
  cancelNow: Text;
  cancelNowHint: Text;
  cancelPastDue: Text;
  /** The sum of the invoice that the end of a subscription makes. */
  finalInvoice: Text;
  finalInvoiceLead: (day: Text) => Text;
  cancelWhy: Text;
  reasons: Record<CancellationReason, Text>;
  comment: Text;
  keep: Text;
  undoCancel: Text;
  offerTitle: Text;
  offerPercent: (percent: Text) => Text;
  offerAmount: (amount: Text) => Text;
  offerOnce: Text;
  offerMonths: (count: Text) => Text;
  offerForever: Text;
  acceptOffer: Text;
  cancelAnyway: Text;

  pause: Text;
  resume: Text;
  promotionCode: Text;
  apply: Text;

  noMethods: Text;
  isDefault: Text;
  expires: (month: Text) => Text;
  expired: Text;
  makeDefault: Text;
  remove: Text;
  removeMethod: (method: Text) => Text;
  addMethod: Text;
  bankTransfer: Text;
  otherMethod: Text;
  card: (brand: Text, last4: Text) => Text;
  noWayToAdd: Text;

  noInvoices: Text;
  invoiceStatuses: Record<Row<'invoices'>['status'], Text>;
  creditNote: Text;
  older: Text;
  newest: Text;

  detailsLead: Text;
  companyName: Text;
  vatId: Text;
  line1: Text;
  line2: Text;
  postalCode: Text;
  city: Text;
  region: Text;
  country: Text;
  chooseCountry: Text;
  language: Text;
  optional: (label: Text) => Text;
  lineProblem: Text;
  vatIdProblem: Text;
  countryProblem: Text;
  save: Text;

  confirmAtBank: Text;
  confirmAtBankLead: Text;
  enterAtProvider: Text;
  enterAtProviderLead: Text;

  notices: Record<Notice, Text>;
  problems: Record<Problem, Text>;
  tooManyCodes: (when: Text) => Text;
  notFoundTitle: Text;
  notFound: Text;
  problemTitle: Text;
}

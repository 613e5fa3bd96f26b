import type { Frequency } from '../../../storage/model/common.ts';
import type { DeclineReason, FactName } from '../facts.ts';
import type { MailText } from '../events.ts';

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
type LabelledFact = Exclude<
  FactName,
  | 'customer.name'
  | 'customer.firstName'
  | 'customer.lastName'
  | 'customer.companyName'
  | 'merchant.name'
  | 'code'
>;

/** All texts of one language. */
export interface MailTexts {
  mails: Record<MailText, StandardText>;
  labels: Record<LabelledFact, string>;
  reasons: Record<DeclineReason, string>;
  methods: { card: string; sepa_debit: string; other: string };
  /** A price and its interval; `count` is written in the language. */
  every: (price: string, frequency: Frequency, count: string) => string;
  /** The line above the merchant's address. */
  sentBy: (merchant: string) => string;
  questions: string;
  terms: string;
  privacy: string;
  /** Introduces the address of the button, for readers who see no button. */
  link: string;
}

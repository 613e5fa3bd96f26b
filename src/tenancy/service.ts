/** The parts of the program that rules and interfaces are given; `app` builds them. */
import type { Logger } from 'pino';
import type { MaybePromise } from '../lib/maybePromise.ts';
import type { Clock } from '../lib/clock.ts';
import type { Language } from '../lib/language.ts';
import type { Ids, RandomBytes } from '../lib/ids.ts';
import type { PasswordHasher } from '../lib/passwords.ts';
import type { SecretBox } from '../lib/secretBox.ts';
import type { SigningKeys } from '../lib/signingKeys.ts';
import type { MailKind } from '../storage/model/mails.ts';
import type { RenewedRates } from '../storage/model/renewedRates.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { Attempts } from '../runtime/attempts.ts';
import type { DocumentRenderer } from '../documents/render.ts';
import type { Gatherings } from '../runtime/gatherings.ts';
import type { SharedSources } from '../runtime/sharedSources.ts';
import type { Turns } from '../runtime/turns.ts';
import type { Scan } from '../storage/scan.ts';
import type { Reads, Store } from '../storage/store.ts';
import type { FoundEntries } from '../storage/textIndex.ts';
import type { ApiKeyCache, ApiKeyUses } from './apiKeyCache.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import type { Providers } from '../providers/registry.ts';
import type { RateSource } from '../providers/ecb.ts';
import type { VatRegister } from '../providers/vies.ts';
import type { Notifier } from './traces/notifier.ts';
import type { IndexedType } from '../storage/model/search.ts';
import type { Terms } from './terms.ts';
import type { UnitOfWork } from './unitOfWork.ts';

/** The dependencies shared by every part of the service: its database, clock, ids and payment providers. */
export interface Service {
  store: Store;
  clock: Clock;
  ids: Ids;
  /** Makes tokens and secrets. */
  randomBytes: RandomBytes;
  /** Notifies followers of new events. */
  notifier: Notifier;
  /** The tenants with events that the search index may not have. */
  writtenTenants: Set<string>;
  /** The new traces of a tenant, which the live pages of its customers share. */
  sharedTraces: SharedSources<Row<'traces'>>;
  payments: { charging: Providers; ofTenants: AccountProviders };
  /** What checks of limits read of the settings of operators. */
  terms: Terms;
  /** API keys that were verified recently. */
  apiKeyCache: ApiKeyCache;
  apiKeyUses: ApiKeyUses;
  /** Encrypts secrets, and stored responses that contain them. */
  secretBox: SecretBox;
  /** Sign what others check without this server. */
  signingKeys: SigningKeys;
  dispatcher: WebhookDispatcher;
  mailer: Mailer;
  eInvoices: EInvoiceSender;
  /** Hashes the passwords of operators. */
  passwords: PasswordHasher;
  documentRenderer: DocumentRenderer;
  revenue: RevenueRecorder;
  search: RecordSearch;
  /** Releases the claims of the mutations under way; called when the server stops before they complete. */
  underWay: Set<() => Promise<void>>;
  /** Attempts to charge an invoice, which requests at the same time share. */
  attempts: Attempts;
  /** Changes of a subscription, which run one after another. */
  changeTurns: Turns;
  /** Recordings of usage, of which those of small requests are made together. */
  usageGatherings: Gatherings;
  /** The register of VAT ids; undefined if the server asks none. */
  vatRegister?: VatRegister;
  /** Where exchange rates come from; undefined if the server fetches none. */
  rateSource?: RateSource;
  /** The standard VAT rates of the server's file; undefined if it has none. */
  vatRates?: RenewedRates;
}

/** What tells the present time. */
export type Clocked = Pick<Service, 'clock'>;

/** What reads the database outside of a unit of work. */
export type Stored = Pick<Service, 'store'>;

/** What a unit of work of a tenant is run with. */
export type Writing = Pick<
  Service,
  | 'store'
  | 'clock'
  | 'ids'
  | 'notifier'
  | 'apiKeyCache'
  | 'dispatcher'
  | 'mailer'
  | 'eInvoices'
  | 'revenue'
  | 'writtenTenants'
  | 'terms'
>;

/** What a tenant's own account at a provider or mail server is used with: its failures are recorded. */
export type AccountParts = Writing & Pick<Service, 'secretBox'>;

/** What a tenant is opened with: all but what is about operators, and about the use of API keys. */
export type TenantParts = AccountParts &
  Pick<
    Service,
    | 'payments'
    | 'randomBytes'
    | 'documentRenderer'
    | 'underWay'
    | 'attempts'
    | 'changeTurns'
    | 'usageGatherings'
    | 'vatRegister'
    | 'sharedTraces'
    | 'search'
    | 'signingKeys'
  >;

/** Opens the accounts of tenants at payment providers. */
export interface AccountProviders {
  /** Returns the payment providers of a tenant: its own accounts, and for the others those of the server. */
  load(parts: AccountParts & Pick<Service, 'payments'>, tenant: Row<'tenants'>): Promise<Providers>;
  /** Returns the provider that uses a tenant's own account. Its failures are recorded in the account. */
  open(parts: AccountParts, account: Row<'accounts'>): Promise<PaymentProvider>;
}

/** Delivers events to webhook endpoints, as far as the rules use it. */
export interface WebhookDispatcher {
  /** Whether webhooks may call private network addresses. */
  mayCallPrivate: boolean;
  /** Returns the reason why a payload query is invalid; undefined if it is valid. */
  findQueryProblem(query: string): string | undefined;
  /** Queues deliveries of the events that a unit of work has recorded, within that unit. */
  queue(unit: UnitOfWork): MaybePromise<void>;
  /** Signals that deliveries of a tenant have been queued. */
  notify(alias: string): void;
  /**
   * Sends the deliveries that are due at the tenant's current time, and those that become due as a result; resolves
   * when done, at the latest after `limitMs`; attempts under way then go on.
   */
  deliverDue(service: TenantParts, alias: string, limitMs?: number): Promise<void>;
  /** Starts sending deliveries as they become due. */
  start(service: TenantParts, log: Logger): Working;
}

/** A mail to queue. */
export interface NewMail {
  kind: MailKind;
  customerId: string | null;
  recipient: string;
  language: Language;
  /** What the mail says. Stored as it is: the code of `portal_code` is sealed (`sealed`, `expiresAt`). */
  data?: Record<string, unknown>;
  /** An event of the record that the mail is about. */
  eventId?: string;
  /** Whether the address of the customer gets no mail. */
  isBlocked?: boolean;
}

/** Queues and sends mails, as far as the rules use it. */
export interface Mailer {
  /** Whether there is a mail server for the tenant. */
  canSend(tenant: Row<'tenants'>): boolean;
  /** Whether the tenant's customers are written to. */
  isOn(tenant: Row<'tenants'>): boolean;
  /** Queues the mails for the events that a unit of work has recorded, within that unit. */
  queueEvents(unit: UnitOfWork): MaybePromise<void>;
  /** Queues a mail that reports no event, within a unit of work. Returns the delivery. */
  queue(unit: UnitOfWork, mail: NewMail): Promise<Row<'mailDeliveries'>>;
  /** Connects to a tenant's own mail server and signs in, without sending; the account records the outcome. */
  tryServer(parts: AccountParts, account: Row<'accounts'>): Promise<void>;
  /** Signals that mails of a tenant have been queued. */
  notify(alias: string): void;
  /** Sends the mails that are due at the tenant's current time; resolves when done. */
  sendDue(service: TenantParts, alias: string): Promise<void>;
  /** Starts sending mails as they become due. */
  start(service: TenantParts, log: Logger): Working;
}

/** Sends e-invoices to the access points of tenants, as far as the rules use it. */
export interface EInvoiceSender {
  /** Signals that e-invoices of a tenant have been queued. */
  notify(alias: string): void;
  /** Calls a tenant's access point without sending a document; the account records the outcome. */
  tryAccessPoint(parts: AccountParts, account: Row<'accounts'>): Promise<void>;
  /** Sends the e-invoices that are due at the tenant's current time; resolves when done, at the latest after `limitMs`. */
  sendDue(service: TenantParts, alias: string, limitMs?: number): Promise<void>;
  /** Starts sending e-invoices as they become due. */
  start(service: TenantParts, log: Logger): Working;
}

/** Keeps the records of revenue and its tax, as far as the rules use it. */
interface RevenueRecorder {
  /** Writes the movements of recurring revenue, and the sums of money and tax, that follow from the changes of a unit, within it. */
  record(unit: UnitOfWork): MaybePromise<void>;
}

/** A tenant as the search reads it. */
export interface SearchedTenant {
  readonly read: Reads;
  /** Reads from the primary, outside of the request's budget. */
  readonly primaryReads: Reads;
  scan<T>(work: (scan: Scan) => Promise<T>): Promise<T>;
  findText(type: IndexedType, parts: string[], limit: number): Promise<FoundEntries>;
}

/** Searches records by their texts, as far as the lists use it. */
interface RecordSearch {
  /** Returns the ids of the records of a type that a text finds, the best first. Errors: `validation_failed`, `query_timeout`. */
  findIds(tenant: SearchedTenant, type: IndexedType, text: string, limit: number): Promise<string[]>;
}

/** A background process. */
export interface Working {
  /**
   * Stops; resolves when nothing is under way any more, at the latest after `limitMs`. Interrupted calls are repeated
   * after the next start.
   */
  stop(limitMs: number): Promise<void>;
}

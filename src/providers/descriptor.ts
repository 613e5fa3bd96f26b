import type { ZodType } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { DeclineCode } from '../lib/declineCodes.ts';
import type { PaymentProvider } from './provider.ts';

/** The reasons of a provider's declines by the code of ours that they mean. */
export type DeclineTable = Partial<Record<DeclineCode, readonly string[]>>;

/** A provider, as far as it is known before an account at it is opened. */
export interface ProviderKind extends Pick<PaymentProvider, 'name' | 'isInProcess'> {
  /** What the interface says about it. */
  description: string;
  /** What the reasons of its declines mean; those that are missing are `declined`. */
  declines?: DeclineTable;
  /** The reasons of its declines after which the same payment method cannot succeed. */
  hardDeclines?: ReadonlySet<string>;
}

/**
 * A provider that charges, in one place. The configuration of the server, the accounts of tenants, the enums and inputs of
 * GraphQL and the help of the commands follow from it. Its SDK is loaded by `open`, because that takes time.
 */
export interface ProviderDescriptor<Name extends string = string> extends Omit<ProviderKind, 'isInProcess'> {
  name: Name;
  /** The name that people read. */
  title: string;
  /** Settings of the server for all accounts: `url` of `stripe` is `--stripe-url`. */
  addresses: Record<string, AddressSetting>;
  /** The secrets of an account, all of them required; the first shows whether money moves. */
  secrets: Record<string, AccountField>;
  /** What else an account may have; the server's own has it by a flag. */
  settings: Record<string, AccountField & { placeholder: string; help: string }>;
  /** Whether the tenant enters the URL for callbacks at the provider; the console then shows it. */
  needsEndpoint?: true;
  /** Whether an account with these secrets moves real money. */
  isLive(secrets: Record<string, string>): boolean;
  open(account: OpenedAccount): Promise<ProviderCalls>;
}

interface AddressSetting {
  schema: ZodType<string>;
  default: string;
  help: string;
}

/** A field of an account, as an operator enters it. */
interface AccountField {
  /** What the interface says about it. */
  description: string;
  form: RegExp;
  message: string;
  /** How it begins: the console shows it in the empty field. */
  example: string;
  /** The form of the server's own, if it differs: earlier releases started with shorter values. */
  serverForm?: RegExp;
}

/** An account, and what the server knows about all accounts at the provider. */
export interface OpenedAccount {
  secrets: Record<string, string>;
  settings: Record<string, string>;
  addresses: Record<string, string>;
  /** The public URL of this server. */
  publicUrl: string;
  /** The path below it for the callbacks of the account. */
  callbackPath: string;
  clock: Clock;
}

/** What an opened account can do; the descriptor says the rest. An account is at a provider outside of the process. */
export type ProviderCalls = Omit<PaymentProvider, 'name' | 'isLive' | 'isInProcess'>;

/** Declares a provider that charges, and keeps its name as a type. */
export const declareProvider = <const Name extends string>(descriptor: ProviderDescriptor<Name>) =>
  descriptor;

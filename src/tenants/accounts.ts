/** Configuring the tenant's own accounts at payment providers, mail servers and access points. */
import * as z from 'zod';
import { refuse } from '../lib/errors.ts';
import { findHostProblem, getHost } from '../lib/hosts.ts';
import { toCustomIssue, type FieldProblem } from '../lib/issueCodes.ts';
import type { MaybePromise } from '../lib/maybePromise.ts';
import { parseInput } from '../lib/validation.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import { chargingProviders } from '../providers/list.ts';
import { buildAccessPointSchema, readFormats, splitAccessPoint } from './accessPoint.ts';
import { keepCallbackSecret } from './callbackSecret.ts';
import { findMailSettings } from './mailSettings.ts';
import type { Reads } from '../storage/store.ts';
import { isCharging, type AccountProvider, type AccountRow, type OpenAccount } from './providerAccounts.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';

const longestSecret = 500;
const secretText = (form: RegExp, message: string) =>
  z.string().max(longestSecret, `must be at most ${longestSecret} characters`).regex(form, message);

/** Builds the schema of an account at a payment provider, with the fields of its descriptor. */
const buildAccountSchema = ({ secrets, settings }: ProviderDescriptor) =>
  z.object({
    ...mapFields(secrets, ({ form, message }) => secretText(form, message)),
    ...mapFields(settings, ({ form, message }) => secretText(form, message).nullish()),
  });

const mapFields = <Field, Schema>(fields: Record<string, Field>, map: (field: Field) => Schema) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, map(field)]));

const mailUrlForm = /^smtps?:\/\/[^\s\p{Cc}\\/?#]+$/u;

const buildSmtpSchema = (mayBePrivate: boolean) =>
  z.object({
    url: z
      .string()
      .max(2048, 'must be at most 2048 characters')
      .superRefine((text, context) => {
        const problem = findMailServerProblem(text, mayBePrivate);
        if (problem) context.addIssue(toCustomIssue(problem));
      }),
    fromAddress: z.email('must be an e-mail address').max(254, 'must be at most 254 characters'),
  });

/** Returns the problem with the address of a mail server before its name is resolved; undefined if there is none. */
function findMailServerProblem(text: string, mayBePrivate: boolean): FieldProblem | undefined {
  if (!mailUrlForm.test(text) || !URL.canParse(text))
    return { message: 'must be smtps:// or smtp://, user:password@ and the host, with or without a port' };
  const url = new URL(text);
  if (!url.hostname || url.port === '0') return { message: 'must have a host, and a port other than 0' };
  try {
    if (/\p{Cc}/u.test(decodeURIComponent(url.username + url.password)))
      return { message: 'must not contain control characters' };
  } catch {
    return { message: 'must have a percent-encoded user name and password' };
  }
  return mayBePrivate ? undefined : findHostProblem(getHost(url));
}

/** Splits the fields of an account into what may be shown, and secrets. Secrets are shown by their last characters. */
type Split = Pick<OpenAccount, 'settings' | 'secrets'>;
type GivenFields = Record<string, string | null | undefined>;

const hide = (secret: string) => `…${secret.slice(-4)}`;

function splitFields({ secrets, settings }: ProviderDescriptor, given: GivenFields): Split {
  const take = (fields: object) =>
    Object.keys(fields).flatMap((name) => (given[name] ? [[name, given[name]] as const] : []));
  const found = take(secrets);
  const shown = found.map(([name, secret]) => [name, hide(secret)] as const);
  return { settings: Object.fromEntries([...take(settings), ...shown]), secrets: Object.fromEntries(found) };
}

function splitSmtp({ url, fromAddress }: { url: string; fromAddress: string }): Split {
  const shown = new URL(url);
  // A password may be short: none of it is shown.
  shown.password = '';
  return { settings: { url: shown.href, fromAddress }, secrets: { url } };
}

const oneAccount = 'must have exactly one account';

/**
 * Sets the tenant's own account at a provider, as a whole; an account that was there is replaced. The secrets are stored
 * encrypted and are never returned. Error: `validation_failed`.
 */
export async function configureAccount(tenant: TenantScope, input: unknown): Promise<AccountRow> {
  const schema = z.object({
    ...Object.fromEntries(chargingProviders.map((each) => [each.name, buildAccountSchema(each).nullish()])),
    smtp: buildSmtpSchema(tenant.dispatcher.mayCallPrivate).nullish(),
    accessPoint: buildAccessPointSchema(tenant).nullish(),
  });
  const given = parseInput(schema, input);
  const { smtp, accessPoint, ...paying } = given;
  const found = [
    ...chargingProviders.flatMap((each) => {
      const fields = (paying as Partial<Record<string, GivenFields | null>>)[each.name];
      return fields ? [{ provider: each.name, ...splitFields(each, fields) }] : [];
    }),
    ...(smtp ? [{ provider: 'smtp' as const, ...splitSmtp(smtp) }] : []),
    ...(accessPoint ? [{ provider: 'access_point' as const, ...splitAccessPoint(accessPoint) }] : []),
  ];
  const [account] = found;
  if (!account || found.length > 1)
    return refuse('validation_failed', { path: 'input', message: oneAccount });
  refuseLiveKey(tenant.record, account);
  const { provider: id, settings } = account;
  const secrets = tenant.seal(JSON.stringify(account.secrets));
  return tenant.write(async (unit) => {
    const { now: updatedAt } = unit;
    const known = await unit.one('accounts', { id });
    const kept = keepCallbackSecret(known, settings);
    const changes = { ...kept, secrets, failedAt: null, failure: null, updatedAt };
    if (known) await unit.updateUntraced('accounts', { id }, changes);
    else await unit.insertUntraced('accounts', { id, ...changes, createdAt: updatedAt });
    const tenantRow = await markOwn(unit, id, settings);
    await unit.recordEvent('tenants', tenantRow, 'account_configured', { provider: id, ...settings });
    return (await unit.one('accounts', { id }))!;
  });
}

/**
 * Records in the tenant whether it has its own mail server, and which e-invoices its access point takes, so that nothing is
 * looked up where nothing is sent. Without `settings` the account is removed.
 */
function markOwn(
  unit: UnitOfWork,
  provider: AccountProvider,
  settings?: Record<string, string>,
): MaybePromise<TenantRow> {
  const { tenant } = unit;
  if (provider === 'access_point')
    return unit.change('tenants', tenant, { eInvoiceFormats: settings ? readFormats(settings) : null });
  if (provider !== 'smtp') return tenant;
  const mail = { ...findMailSettings(tenant), ownServer: settings !== undefined };
  return unit.change('tenants', tenant, { mail });
}

/** A test tenant may have a simulated clock, so real money must not follow it. */
function refuseLiveKey({ test }: TenantRow, { provider, secrets }: OpenAccount): void {
  const isLive = chargingProviders.find(({ name }) => name === provider)?.isLive(secrets);
  if (test && isLive)
    refuse('validation_failed', {
      path: `${provider}.${Object.keys(secrets)[0]!}`,
      message: 'must be a test key for a test tenant',
    });
}

/**
 * Removes the tenant's own account; the server's is used from then on. Errors: `account_not_found`, `account_in_use` if
 * subscriptions are charged through it and the server has no account at the provider.
 */
export async function removeAccount(tenant: TenantScope, provider: AccountProvider): Promise<AccountRow> {
  const others = await tenant.loadProviders('server');
  const isReplaced = others.some(({ name }) => name === provider);
  if (!isReplaced && (await isCharged(tenant, provider))) refuse('account_in_use');
  return tenant.write(async (unit) => {
    const account = (await unit.one('accounts', { id: provider })) ?? refuse('account_not_found');
    await unit.removeUntraced('accounts', { id: provider });
    const tenantRow = await markOwn(unit, provider);
    await unit.recordEvent('tenants', tenantRow, 'account_removed', { provider });
    return account;
  });
}

/**
 * Calls the provider, or signs in at the mail server, with the tenant's own account. Nothing is moved or sent; the
 * account records the outcome. Error: `account_not_found`.
 */
export async function testAccount(tenant: TenantScope, id: AccountProvider): Promise<AccountRow> {
  if (!tenant.mayWrite) refuse('insufficient_scope');
  const read = () => tenant.primaryReads.one('accounts', { id });
  const account = (await read()) ?? refuse('account_not_found');
  if (!isCharging(id)) await tenant.tryServer(account);
  else {
    const provider = (await tenant.loadProviders()).find(({ name }) => name === id);
    // The account has the failure.
    await provider?.check?.().catch(() => undefined);
  }
  return (await read()) ?? refuse('account_not_found');
}

/** Whether a subscription that is not cancelled uses a payment method of the provider. */
const isCharged = (tenant: TenantScope, provider: AccountProvider): Promise<boolean> =>
  tenant.scan(async ({ slices, select }) => {
    const orderBy = ['createdAt', 'id'] as const;
    for await (const rows of slices('subscriptions', { where: { cancelledAt: null }, orderBy })) {
      const ids = new Set(rows.flatMap(({ paymentMethodId }) => paymentMethodId ?? []));
      for (const id of ids) {
        const [method] = await select('paymentMethods', { where: { id }, limit: 1 });
        if (method?.provider === provider) return true;
      }
    }
    return false;
  });

/** Returns the tenant's own accounts, by provider. */
export const listAccounts = async (reads: Reads): Promise<AccountRow[]> =>
  reads.many('accounts', { where: {}, orderBy: ['id'] });

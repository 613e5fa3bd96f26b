/** One attempt to send a mail. */
import type { RandomBytes } from '../../lib/ids.ts';
import type { DocumentFile } from '../../documents/record.ts';
import { listMailedDocuments } from '../../billing/invoices/documentFiles.ts';
import type { PortalFlow } from '../../storage/model/common.ts';
import { TenantReads } from '../../storage/store.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { Service, TenantParts } from '../../tenancy/service.ts';
import { findTenant } from '../../tenancy/tenants.ts';
import { reportInternalError, type AttemptSignals } from '../queue/queue.ts';
import { attachedLogo, buildMessage, findLogo, type ComposedMail } from './compose.ts';
import { composeDelivery, findFlow, readContent, type Content } from './content.ts';
import { recordOutcome, type MailOutcome } from './deliveries.ts';
import { isKept, type MailRow } from './outbox.ts';
import type { MailServers } from './servers.ts';
import type { SendResult } from './transport.ts';

/** Returns the address of the portal's page for a customer; null if the tenant has no portal. */
type CreatePortalLink = (
  tenant: TenantScope,
  customerId: string,
  flow: PortalFlow['type'],
) => Promise<string | null>;

/** The dependencies of an attempt. */
export interface MailParts {
  servers: MailServers;
  randomBytes: RandomBytes;
  createPortalLink: CreatePortalLink;
}

/** Less than the time for which a mail is claimed. */
const attemptMs = 45_000;

/**
 * Makes one attempt to send a mail and records its outcome right after the reply. An attempt aborted by `stop` is not
 * recorded. An internal error is reported and the attempt fails. Error: `unavailable`; then nothing is recorded and the
 * mail is still due.
 */
export async function attemptMail(
  parts: MailParts,
  service: TenantParts,
  delivery: MailRow,
  { stop, report }: AttemptSignals,
): Promise<void> {
  const record = (await findTenant(service, delivery.tenantAlias))!;
  const tenant = openScheduledTenant(service, record);
  const beganMs = service.clock.nowMs();
  const sent = send(parts, service, tenant, delivery, stop);
  const ended = await reportInternalError(sent, report, failInternally);
  if (stop.aborted && ended.status !== 'sent') return;
  const durationMs = Math.max(0, service.clock.nowMs() - beganMs);
  const random = parts.randomBytes(1)[0]! / 255;
  await tenant.write((unit) => recordOutcome(unit, delivery, { ...ended, durationMs, random }));
}

type Ended = Omit<MailOutcome, 'durationMs' | 'random'>;

const nothingMore = { response: null, subject: null, blocks: false, expiresAt: null };
const failInternally: Ended = { status: 'deferred', error: 'internal_error', ...nothingMore };

async function send(
  { servers, createPortalLink }: MailParts,
  service: TenantParts,
  tenant: TenantScope,
  delivery: MailRow,
  stop: AbortSignal,
): Promise<Ended> {
  const route = isKept(delivery) ? undefined : await servers.find(service, tenant.record);
  if (!route && !isKept(delivery)) return { status: 'cancelled', error: 'no_mail_server', ...nothingMore };
  const read = new TenantReads(service.store.fresh, tenant.alias);
  const { record } = tenant;
  const scope = { record, read, now: () => tenant.now() };
  const findCode = (mail: MailRow) => openCode(service, tenant, mail);
  const content = await readContent(scope, delivery, { findCode });
  if (!content) return { status: 'cancelled', error: 'no_longer_needed', ...nothingMore };
  const { facts } = content;
  const flow = findFlow(delivery);
  const actionUrl = flow ? await createPortalLink(tenant, delivery.customerId!, flow) : null;
  const logo = await findLogo(read, record);
  const mail = await composeDelivery(read, record, delivery, {
    facts,
    actionUrl,
    logo: logo ? attachedLogo : null,
  });
  const ended = {
    subject: describeSubject(mail, facts),
    expiresAt: facts.code?.expiresAt ?? null,
    // The console shows the mails of a test tenant whole, with the link of their button.
    ...(record.test && actionUrl !== null && { actionUrl: tenant.seal(actionUrl) }),
  };
  if (!route) return { status: 'sent', response: keptResponse, error: null, blocks: false, ...ended };
  const attachments = await attachDocument(tenant, content);
  const message = buildMessage(record, delivery, route.sender, mail, logo, attachments);
  const result = await route.send(message, AbortSignal.any([stop, AbortSignal.timeout(attemptMs)]));
  return { ...describeResult(result), ...ended };
}

/** In the place of the reply of a mail server. */
const keptResponse = 'Kept for the console: the tenant is a test tenant without a recipient for tests.';

/** The subject as the log keeps it. */
const describeSubject = ({ subject }: ComposedMail, { code }: Content['facts']): string =>
  code ? subject.replaceAll(code.code, '•'.repeat(code.code.length)) : subject;

function describeResult(result: SendResult): Pick<Ended, 'status' | 'response' | 'error' | 'blocks'> {
  if (result.status === 'sent')
    return { status: 'sent', response: result.response, error: null, blocks: false };
  const { status, error, response } = result;
  return { status, error, response, blocks: status === 'refused' && result.blocks };
}

/** Decrypts the code of a portal's mail; undefined once it has expired. */
function openCode(
  { secretBox }: Pick<Service, 'secretBox'>,
  tenant: TenantScope,
  { data }: MailRow,
): Content['facts']['code'] {
  const { sealed, expiresAt } = data as { sealed?: string; expiresAt?: string };
  if (sealed === undefined || expiresAt === undefined || expiresAt <= tenant.now()) return undefined;
  return { code: secretBox.open(sealed, tenant.alias), expiresAt };
}

/** Returns the document that belongs to a mail, if any, in the formats that the customer receives. */
async function attachDocument(
  tenant: TenantScope,
  { invoice, creditNote }: Content,
): Promise<DocumentFile[]> {
  const billed = creditNote ?? invoice;
  if (!billed || billed.documentNumber === null) return [];
  const customer = await tenant.read.one('customers', { id: billed.customerId });
  const document = creditNote ? { creditNote } : { invoice };
  return listMailedDocuments(tenant, document, customer?.documentFormat ?? null);
}

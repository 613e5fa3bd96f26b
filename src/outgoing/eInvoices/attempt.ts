/** One attempt to hand an e-invoice to the access point of its tenant. */
import { findCreditNoteDocument, findInvoiceDocument } from '../../billing/invoices/documentFiles.ts';
import { recordEInvoiceStatus } from '../../billing/invoices/eInvoices.ts';
import { hourMs, secondMs } from '../../lib/durations.ts';
import { BillingError, isTransient } from '../../lib/errors.ts';
import type { RandomBytes } from '../../lib/ids.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantParts } from '../../tenancy/service.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { findTenant } from '../../tenancy/tenants.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import {
  findAccount,
  openAccount,
  recordAccountResult,
  unreadable,
  type AccountRow,
  type OpenAccount,
} from '../../tenants/providerAccounts.ts';
import { computeRetryDelay, parseRetryAfter } from '../queue/backoff.ts';
import { reportInternalError, type AttemptSignals } from '../queue/queue.ts';
import { appendTry } from '../queue/records.ts';
import { addressUnusable, type Post, type PostOutcome } from '../webhooks/httpClient.ts';
import { buildEInvoiceMessage } from './accessPoint.ts';
import { readAnswer, type Answer } from './answer.ts';

type Delivery = Row<'eInvoiceDeliveries'>;

/** The dependencies of an attempt. */
export interface EInvoiceParts {
  randomBytes: RandomBytes;
  post: Post;
}

/** What an attempt came to. Without a response the status code is null. */
interface Ended extends Omit<Answer, 'status'> {
  status: Answer['status'] | 'failed';
  statusCode: number | null;
  durationMs: number;
  /** The delay that the access point asked for. */
  retryAfterMs: number;
  /** From 0 to 1; spreads retries. */
  random: number;
}

/** While an invoice is being charged, its document is about to say that it is paid. */
const chargingMs = 30 * secondMs;

/**
 * Makes one attempt and records its outcome. An attempt aborted by `stop` is not recorded. An internal error is reported and the
 * attempt fails. Error: `unavailable`; then nothing is recorded and the e-invoice is still due.
 */
export async function attemptEInvoice(
  parts: EInvoiceParts,
  service: TenantParts,
  delivery: Delivery,
  { stop, report }: AttemptSignals,
): Promise<void> {
  const record = (await findTenant(service, delivery.tenantAlias))!;
  const tenant = openScheduledTenant(service, record);
  if (await isBeingCharged(tenant, delivery)) {
    const dueAt = addMs(tenant.now(), chargingMs);
    await tenant.write((unit) => postpone(unit, delivery, dueAt));
    return;
  }
  const beganMs = service.clock.nowMs();
  const made = send(parts, service, tenant, delivery, stop);
  const sent = await reportInternalError(made, report, internalError);
  // Without an access point it stays queued.
  if (stop.aborted || !sent) return;
  const { answer, outcome } = sent;
  const endedMs = service.clock.nowMs();
  const ended = {
    ...answer,
    statusCode: outcome.statusCode,
    // The duration of a look-up would reveal whether the name exists in the internal network.
    durationMs: outcome.error === addressUnusable ? 0 : Math.max(0, endedMs - beganMs),
    retryAfterMs: parseRetryAfter(outcome.retryAfter, endedMs),
    random: parts.randomBytes(1)[0]! / 255,
  };
  await tenant.write((unit) => recordOutcome(unit, delivery, ended));
}

async function isBeingCharged(tenant: TenantScope, { kind, id }: Delivery): Promise<boolean> {
  const invoice = kind === 'invoice' ? await tenant.read.one('invoices', { id }) : undefined;
  if (!invoice || invoice.status !== 'open' || invoice.chargeStartedAt === null) return false;
  return addMs(invoice.chargeStartedAt, hourMs) > tenant.now();
}

async function postpone(unit: UnitOfWork, { id, attempt }: Delivery, dueAt: string): Promise<void> {
  await unit.updateUntraced(
    'eInvoiceDeliveries',
    { id, attempt, status: 'queued' },
    { dueAt, claimedUntil: null },
  );
}

interface Sent {
  answer: Pick<Ended, 'status' | 'reference' | 'message' | 'isFault'>;
  outcome: PostOutcome;
}

const noResponse: PostOutcome = { statusCode: null, error: null, retryAfter: undefined };
const internalError: Sent = {
  answer: { status: 'deferred', reference: null, message: 'internal_error', isFault: false },
  outcome: noResponse,
};

async function send(
  { post }: EInvoiceParts,
  service: TenantParts,
  tenant: TenantScope,
  delivery: Delivery,
  stop: AbortSignal,
): Promise<Sent | undefined> {
  const account = await findAccount(service, tenant.record, 'access_point');
  if (!account) return undefined;
  const file = await findFile(tenant, delivery);
  if (typeof file === 'string')
    return {
      answer: { status: 'failed', reference: null, message: file, isFault: false },
      outcome: noResponse,
    };
  const opened = tryOpen(service, account);
  const outcome = opened
    ? await post(buildEInvoiceMessage(opened, delivery, file, tenant.record.test), stop)
    : { ...noResponse, error: unreadable };
  const answer = readAnswer(outcome);
  if (!stop.aborted) await recordAccountResult(service, account, answer.isFault ? answer.message : null);
  return { answer, outcome };
}

/** Decrypts an account; undefined if the key of this server cannot. */
function tryOpen(service: TenantParts, account: AccountRow): OpenAccount | undefined {
  try {
    return openAccount(service, account);
  } catch {
    return undefined;
  }
}

const pdfType = 'application/pdf';
const xmlType = 'application/xml';

/** Returns the file, which is kept until the last attempt; a text says why there is none. */
async function findFile(
  tenant: TenantScope,
  { id, kind, format, body }: Delivery,
): Promise<{ contentType: string; bytes: Buffer } | string> {
  const contentType = format === 'factur_x' || format === 'factur_x_fr' ? pdfType : xmlType;
  if (body !== null) return { contentType, bytes: Buffer.from(body, 'base64') };
  const bytes = await makeFile(tenant, { id, kind, format });
  if (typeof bytes === 'string') return bytes;
  await tenant.write((unit) =>
    unit.updateUntraced('eInvoiceDeliveries', { id, status: 'queued' }, { body: bytes.toString('base64') }),
  );
  return { contentType, bytes };
}

async function makeFile(
  tenant: TenantScope,
  { id, kind, format }: Pick<Delivery, 'id' | 'kind' | 'format'>,
): Promise<Buffer | string> {
  const [invoice, note] = await Promise.all([
    kind === 'invoice' ? tenant.read.one('invoices', { id }) : undefined,
    kind === 'credit_note' ? tenant.read.one('creditNotes', { id }) : undefined,
  ]);
  if (!invoice && !note) return 'document_missing';
  try {
    const file = note
      ? await findCreditNoteDocument(tenant, note, format)
      : await findInvoiceDocument(tenant, invoice!, format);
    return file.bytes;
  } catch (error) {
    // The record lacks what the format needs, or its customer is erased: no later attempt differs.
    if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
    return error.issues.map(({ path, message }) => `${path} ${message}`).join('; ') || error.reason;
  }
}

/** Records the outcome of an attempt, unless the delivery was changed meanwhile. */
async function recordOutcome(unit: UnitOfWork, attempted: Delivery, ended: Ended): Promise<void> {
  const { id } = attempted;
  const delivery = await unit.one('eInvoiceDeliveries', { id });
  if (delivery?.status !== 'queued' || delivery.attempt !== attempted.attempt) return;
  const { statusCode, durationMs, message, reference, status } = ended;
  const made = delivery.attempt + 1;
  const error = status === 'sent' || status === 'accepted' ? null : message;
  const tries = appendTry(delivery.tries, { at: unit.now, statusCode, durationMs, error });
  const progress = { attempt: made, tries, claimedUntil: null };
  if (status !== 'deferred') {
    await recordEInvoiceStatus(unit, delivery, { status, reference, message }, progress);
    return;
  }
  const delayMs = computeRetryDelay(made, ended.random, ended.retryAfterMs);
  if (delayMs === undefined) {
    await recordEInvoiceStatus(unit, delivery, { status: 'failed', message }, progress);
    return;
  }
  const later = { ...progress, dueAt: addMs(unit.now, delayMs), lastError: message };
  await unit.updateUntraced('eInvoiceDeliveries', { id }, later);
}

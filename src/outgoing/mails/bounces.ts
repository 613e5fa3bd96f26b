/** Reports of mail providers about mails that bounced or were not wanted. */
import { refuse } from '../../lib/errors.ts';
import { isMailAddress, toHeaderText } from '../../lib/mailAddress.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { recordBounce, type Bounce } from './deliveries.ts';

const longestReason = 300;
const mostReports = 100;

/**
 * Records the reports in a message: JSON in our own form (`messageId` or `recipient`, `type`, `reason`), one or a list, or
 * in that of Postmark, Mailgun or Amazon SES by SNS. Temporary bounces change nothing. Returns how many mails were found.
 * Error: `validation_failed`.
 */
export async function receiveBounces(tenant: TenantScope, text: string): Promise<number> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('validation_failed', { path: 'body', message: 'must be JSON' });
  }
  const reports = Array.isArray(value) ? value : [value];
  if (reports.length > mostReports)
    refuse('validation_failed', { path: 'body', message: `must have at most ${mostReports} reports` });
  const bounces = reports.flatMap((report, index) => readReport(report, index));
  let found = 0;
  for (const bounce of bounces) if (await tenant.write((unit) => recordBounce(unit, bounce))) found += 1;
  return found;
}

type Fields = Record<string, unknown>;

const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function readReport(value: unknown, index: number): Bounce[] {
  const report = toFields(value);
  if (typeof report['RecordType'] === 'string') return readPostmark(report);
  if ('event-data' in report) return readMailgun(toFields(report['event-data']));
  if (report['Type'] === 'Notification') return readSes(report['Message']);
  const { messageId, recipient, type, reason } = report;
  const path = `body.${index}`;
  if (type !== 'bounce' && type !== 'complaint')
    return refuse('validation_failed', { path: `${path}.type`, message: 'must be bounce or complaint' });
  const bounce = build(messageId, recipient, type, reason);
  if (bounce.messageId === null && bounce.recipient === null)
    refuse('validation_failed', { path: `${path}.messageId`, message: 'or recipient must be given' });
  return [bounce];
}

/** https://postmarkapp.com/developer/webhooks/bounce-webhook; its id of a message is not the `Message-ID`. */
function readPostmark({ RecordType, Type, Email, Description }: Fields): Bounce[] {
  const isComplaint = RecordType === 'SpamComplaint';
  const isHard = RecordType === 'Bounce' && (Type === 'HardBounce' || Type === 'BadEmailAddress');
  if (!isComplaint && !isHard) return [];
  return [build(undefined, Email, isComplaint ? 'complaint' : 'bounce', Description)];
}

/** https://documentation.mailgun.com/docs/mailgun/user-manual/events/events/ */
function readMailgun(data: Fields): Bounce[] {
  const { event, severity, recipient, reason } = data;
  const headers = toFields(toFields(data['message'])['headers']);
  if (event === 'complained') return [build(headers['message-id'], recipient, 'complaint', reason)];
  const isHard = event === 'failed' && severity === 'permanent';
  return isHard ? [build(headers['message-id'], recipient, 'bounce', reason)] : [];
}

/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html */
function readSes(message: unknown): Bounce[] {
  let report: Fields;
  try {
    report = toFields(JSON.parse(String(message)));
  } catch {
    return [];
  }
  const headers = toFields(toFields(report['mail'])['commonHeaders']);
  const bounce = toFields(report['bounce']);
  const list = (value: unknown) => (Array.isArray(value) ? value.map(toFields) : []);
  if (bounce['bounceType'] === 'Permanent')
    return list(bounce['bouncedRecipients']).map(({ emailAddress, diagnosticCode }) =>
      build(headers['messageId'], emailAddress, 'bounce', diagnosticCode),
    );
  const complaint = toFields(report['complaint']);
  return list(complaint['complainedRecipients']).map(({ emailAddress }) =>
    build(headers['messageId'], emailAddress, 'complaint', complaint['complaintFeedbackType']),
  );
}

function build(messageId: unknown, recipient: unknown, type: Bounce['type'], reason: unknown): Bounce {
  const id = typeof messageId === 'string' && /^<?[\w.@-]{1,200}>?$/.test(messageId) ? messageId : null;
  return {
    messageId: id === null ? null : `<${id.replace(/[<>]/g, '')}>`,
    recipient: typeof recipient === 'string' && isMailAddress(recipient.trim()) ? recipient.trim() : null,
    type,
    reason: typeof reason === 'string' ? toHeaderText(reason).slice(0, longestReason).toWellFormed() : type,
  };
}

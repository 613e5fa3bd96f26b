/** The limits of promotion codes that payers enter, so that no program finds codes by guessing. */
import { createHmac } from 'node:crypto';
import { BillingError } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/** Who enters a code. */
export interface CodePayer {
  /** The id of the intent whose page has the field, or of the customer who is signed in. */
  id: string;
  /** The network that the request comes from. */
  network: string;
}

const windowMs = 10 * 60 * 1000;
/** Failed attempts in ten minutes. One payer's mistakes stay below; all payers of a tenant together make more of them. */
const mostFailures = { payer: 10, network: 20, tenant: 300 };
const rowsPerBatch = 200;

/**
 * Redeems a code that a payer entered, unless the payer, the network or all payers of the tenant have failed too often.
 * Returns the refusal of a code that cannot be used instead of throwing it, so that the unit commits its count. Counts
 * are in the database, and the units of a tenant follow each other, so the limits hold for all servers and requests at
 * once. `now` is the service's time: a test tenant's clock may stand still. Error: `too_many_attempts`, for every code.
 */
export async function redeemEnteredCode(
  unit: UnitOfWork,
  payer: CodePayer,
  now: string,
  redeem: () => Promise<unknown>,
): Promise<BillingError | undefined> {
  const limits = listLimits(unit, payer);
  const known = await unit.many('codeAttempts', { where: { subjectHash: limits.map(([hash]) => hash) } });
  const counts = limits.map(([subjectHash, most]) => {
    const attempts = known.find((row) => row.subjectHash === subjectHash);
    return { subjectHash, most, attempts, isOpen: attempts !== undefined && attempts.endsAt > now };
  });
  const ends = counts.flatMap(({ attempts, isOpen, most }) =>
    isOpen && attempts!.failures >= most ? attempts!.endsAt : [],
  );
  if (ends.length > 0) throw createRefusal(ends.toSorted().at(-1)!, now);
  try {
    await redeem();
    return undefined;
  } catch (error) {
    if (!(error instanceof BillingError) || !isUnusableCode(error)) throw error;
    for (const { subjectHash, attempts, isOpen } of counts) {
      const failures = isOpen ? attempts!.failures + 1 : 1;
      const next = { failures, endsAt: isOpen ? attempts!.endsAt : addMs(now, windowMs) };
      if (attempts) await unit.updateUntraced('codeAttempts', { subjectHash }, next);
      else await unit.insertUntraced('codeAttempts', { subjectHash, ...next });
    }
    return error;
  }
}

/**
 * Runs the unit of work of a customer's session that redeems the code the customer entered, with the limits of
 * `redeemEnteredCode`. Errors: `too_many_attempts`, and those of `redeem`.
 */
export async function writeWithEnteredCode<T>(
  tenant: TenantScope,
  customerId: string,
  redeem: (unit: UnitOfWork) => Promise<T>,
): Promise<T> {
  const payer = { id: customerId, network: tenant.network ?? '' };
  let refusal: BillingError | undefined;
  const redeemed = await tenant.write(async (unit) => {
    let result: T | null = null;
    refusal = await redeemEnteredCode(unit, payer, tenant.serviceNow(), async () => {
      result = await redeem(unit);
    });
    return result;
  });
  if (refusal) throw refusal;
  return redeemed!;
}

const listLimits = ({ tenant }: UnitOfWork, { id, network }: CodePayer): [hash: string, most: number][] => [
  [hashSubject(tenant, `payer ${id}`), mostFailures.payer],
  [hashSubject(tenant, `network ${network}`), mostFailures.network],
  [hashSubject(tenant, 'tenant'), mostFailures.tenant],
];

// The secret also signs cursors and forms, with other prefixes.
const hashSubject = ({ cursorSecret }: Pick<Row<'tenants'>, 'cursorSecret'>, subject: string): string =>
  createHmac('sha256', cursorSecret).update(`code attempts|${subject}`).digest('hex');

function createRefusal(endsAt: string, now: string): BillingError {
  const seconds = Math.max(1, Math.ceil((Date.parse(endsAt) - Date.parse(now)) / 1000));
  return new BillingError('too_many_attempts', [], seconds);
}

const unusableReasons: BillingError['reason'][] = [
  'promotion_code_not_found',
  'coupon_not_redeemable',
  'currency_mismatch',
];

/** Whether an error means that the entered code cannot be used. */
export const isUnusableCode = ({ reason, issues }: BillingError): boolean =>
  unusableReasons.includes(reason) && issues.some(({ path }) => path === 'code' || path === 'promotionCode');

/** Deletes counts that have ended, in batches; returns how many were deleted. `now` is the service's time. */
export async function purgeCodeAttempts(tenant: TenantScope, now: string): Promise<number> {
  if (tenant.record.discountsSince === null) return 0;
  const ended = await tenant.read.many('codeAttempts', {
    where: { endsAt: { before: now } },
    orderBy: ['endsAt', 'subjectHash'],
    limit: rowsPerBatch,
  });
  if (ended.length === 0) return 0;
  const subjectHash = ended.map((row) => row.subjectHash);
  // A count may have begun anew meanwhile.
  await tenant.write((unit) => unit.removeUntraced('codeAttempts', { subjectHash, endsAt: { before: now } }));
  return ended.length;
}

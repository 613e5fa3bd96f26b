/** The first credential of an operator, which nothing before it can confirm. */
import { requireStepUp, type SignedIn } from '../../tenancy/actor.ts';
import type { ServerReads, ServerScope } from '../../tenancy/serverScope.ts';
import { findOperator } from './operators.ts';

/** Whether the operator can sign in, or repeat a sign-in, with a credential of their own. */
export async function hasCredential(reads: ServerReads, operatorId: string): Promise<boolean> {
  // Read now: an earlier mutation of the same request may have set one up.
  const { passwordHash, totpSecret } = await findOperator(reads, operatorId);
  if (passwordHash !== null && totpSecret !== null) return true;
  return (await reads.many('operatorPasskeys', { where: { operatorId }, limit: 1 })).length > 0;
}

/**
 * Whether the session may set up a credential without a repeated sign-in: a link began it, and there is no credential that
 * could repeat one.
 */
export const needsCredential = async (
  reads: ServerReads,
  { operator, session }: SignedIn,
): Promise<boolean> => session.byLink === true && !(await hasCredential(reads, operator.id));

/**
 * Refuses a change of credentials that needs a recent sign-in. The first credential needs none. Returns whether it is the
 * first. Error: `step_up_required`.
 */
export async function requireStepUpUnlessFirst(server: ServerScope, signedIn: SignedIn): Promise<boolean> {
  const isFirst = await needsCredential(server.read, signedIn);
  if (!isFirst) requireStepUp(signedIn, server.now());
  return isFirst;
}

import { refuse } from '../lib/errors.ts';
import type { OperatorRole } from '../storage/model/operators.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { needsStepUp, permissionsByRole, type Permission } from './permissions.ts';
import type { ServerScope } from './serverScope.ts';

/** How long after a sign-in an operator may do what needs a recent one. */
export const stepUpMs = 10 * 60 * 1000;

/** An operator and the session of a request. */
export interface SignedIn {
  operator: Row<'operators'>;
  session: Row<'operatorSessions'>;
}

/** The client of a request of the console. */
export interface ConsoleClient {
  server: ServerScope;
  signedIn?: SignedIn;
  /** The operator's role in the tenant of the request. */
  role?: OperatorRole;
  /** The origin of its page, known to be this server's; undefined if the browser did not name it. */
  origin: string | undefined;
  /** The IP address. */
  address: string;
  userAgent: string | null;
  /** Whether operators sign in at an identity provider. */
  hasOidc: boolean;
  /** Counts an attempt to sign in to an account. Error: `rate_limited`. */
  countAttempt: (account?: string) => void;
  /** Sets the cookie of a session; removes it without a token. */
  setCookie: (token?: string) => void;
}

/** The executor that traces record for an operator. */
export const nameOperatorExecutor = (operatorId: string): string => `operator:${operatorId}`;

/** Returns the operator and the session. Error: `sign_in_required`. */
export const requireSignedIn = (client: ConsoleClient | undefined): SignedIn =>
  client?.signedIn ?? refuse('sign_in_required');

/** Returns until when an operator may do what needs a recent sign-in, in milliseconds. */
export const computeStepUpEnd = ({ session }: SignedIn): number => Date.parse(session.verifiedAt) + stepUpMs;

/** Refuses an act that needs a recent sign-in. Error: `step_up_required`. */
export function requireStepUp(signedIn: SignedIn, now: string): void {
  if (computeStepUpEnd(signedIn) <= Date.parse(now)) refuse('step_up_required');
}

/** Refuses what needs a permission, or an argument that does. Error: `permission_missing`. */
export function refusePermission(permission: string, field?: string): never {
  const issue = { path: 'permission', message: permission };
  if (field === undefined) return refuse('permission_missing', issue);
  return refuse('permission_missing', issue, { path: field, message: `needs the permission ${permission}` });
}

/**
 * Refuses what the operator's role in the tenant does not permit, and what needs a more recent sign-in. `isChange`: whether it
 * is a mutation; `field`: the argument that needs the permission, if the operation alone does not. Errors: `sign_in_required`, `tenant_missing`, `permission_missing`, `step_up_required`.
 */
export function requirePermission(
  client: ConsoleClient,
  permission: Permission | undefined,
  isChange: boolean,
  field?: string,
): void {
  const signedIn = requireSignedIn(client);
  const { role, server } = client;
  if (!role) return refuse('tenant_missing');
  if (!permission || !permissionsByRole[role].includes(permission))
    return refusePermission(permission ?? 'unknown', field);
  if (needsStepUp(permission, isChange)) requireStepUp(signedIn, server.now());
}

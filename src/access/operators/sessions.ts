/** Sessions of operators: begun by a sign-in, ended after 12 hours without a request or 7 days, or revoked. */
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import { hashToken } from '../../lib/tokens.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SignedIn } from '../../tenancy/actor.ts';
import type { ServerReads, ServerScope, ServerUnit } from '../../tenancy/serverScope.ts';
import { dayMs } from '../../lib/durations.ts';

export type OperatorRow = Row<'operators'>;
export type SessionRow = Row<'operatorSessions'>;

/** How long a session lasts, whether used or not. */
export const sessionLifetimeMs = 7 * dayMs;
const idleMs = 12 * 60 * 60 * 1000;
/** `lastSeenAt` is written at most once in this time, so that reads stay reads. */
const seenStepMs = 60 * 1000;
const maxSessions = 100;
const longestUserAgent = 300;

/** The browser that signs in. */
export interface Browser {
  address: string;
  userAgent: string | null;
  /** The token in its cookie before the sign-in; that session ends. */
  earlierSessionId?: string;
  /** Whether it signs in by a link. */
  byLink?: boolean;
}

/** A session and the token of its cookie. */
export interface IssuedSession extends SignedIn {
  token: string;
}

/** Begins a session of an operator with a new token, and ends the browser's earlier session. */
export async function beginSession(
  unit: ServerUnit,
  operator: OperatorRow,
  { address, userAgent, earlierSessionId, byLink = false }: Browser,
): Promise<IssuedSession> {
  if (earlierSessionId) await revoke(unit, [earlierSessionId]);
  const token = unit.token();
  const session = await unit.insert('operatorSessions', {
    id: unit.id('ops'),
    operatorId: operator.id,
    tokenHash: hashToken(token),
    verifiedAt: unit.now,
    lastSeenAt: unit.now,
    expiresAt: addMs(unit.now, sessionLifetimeMs),
    userAgent: userAgent?.slice(0, longestUserAgent).toWellFormed() ?? null,
    address,
    byLink,
    createdAt: unit.now,
  });
  return { operator, session, token };
}

/** Whether a look-up is a request of the operator, or watches a connection, which does not keep the session from idling. */
export type SessionUse = 'request' | 'watch';

/** Returns the session with a cookie's token, and its operator; undefined if it has ended. */
export async function findSession(
  server: ServerScope,
  token: string,
  use: SessionUse = 'request',
): Promise<SignedIn | undefined> {
  const { read } = server;
  const now = server.now();
  const session = await read.one('operatorSessions', { tokenHash: hashToken(token) });
  if (!session || hasEnded(session, now)) return undefined;
  const operator = await read.one('operators', { id: session.operatorId });
  if (!operator) return undefined;
  if (use === 'request' && session.lastSeenAt <= addMs(now, -seenStepMs))
    await recordSeen(server, session.id, now);
  return { operator, session };
}

const hasEnded = ({ revokedAt, expiresAt, lastSeenAt }: SessionRow, now: string): boolean =>
  revokedAt !== null || expiresAt <= now || addMs(lastSeenAt, idleMs) <= now;

/** Time only moves forward: a clock that was set back must not end the session early. */
const recordSeen = (server: ServerScope, id: string, now: string): Promise<number> =>
  server.write((unit) =>
    unit.update('operatorSessions', { id, lastSeenAt: { before: now } }, { lastSeenAt: now }),
  );

/** Returns the sessions of an operator that have not ended, newest first. */
export async function listSessions(
  reads: ServerReads,
  operatorId: string,
  now: string,
): Promise<SessionRow[]> {
  const rows = await reads.many('operatorSessions', {
    where: { operatorId, revokedAt: null, expiresAt: { after: now } },
    orderBy: ['operatorId', 'createdAt', 'id'],
    direction: 'desc',
    limit: maxSessions,
  });
  return rows.filter((session) => !hasEnded(session, now));
}

/** Ends a session of the operator. Error: `operator_session_not_found`. */
export async function revokeSession(unit: ServerUnit, operatorId: string, id: string): Promise<void> {
  const session = await unit.one('operatorSessions', { id, operatorId });
  if (!session) refuse('operator_session_not_found');
  await revoke(unit, [id]);
}

/** Ends all sessions of an operator, except one. */
export async function revokeOtherSessions(
  unit: ServerUnit,
  operatorId: string,
  keptId?: string,
): Promise<void> {
  const open = await unit.many('operatorSessions', { where: { operatorId, revokedAt: null } });
  await revoke(
    unit,
    open.map(({ id }) => id).filter((id) => id !== keptId),
  );
}

const revoke = async (unit: ServerUnit, ids: string[]): Promise<void> => {
  await unit.update('operatorSessions', { id: ids, revokedAt: null }, { revokedAt: unit.now });
};

/** Records that the operator has just proved again who they are. */
export async function recordStepUp(unit: ServerUnit, { id }: SessionRow): Promise<void> {
  await unit.update('operatorSessions', { id }, { verifiedAt: unit.now });
}

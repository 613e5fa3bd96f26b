/** Ceremonies of two requests: a passkey's, or a sign-in at an identity provider. */
import { addMs } from '../../lib/time.ts';
import type { JsonObject } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { ServerScope } from '../../tenancy/serverScope.ts';

type ChallengeRow = Row<'operatorChallenges'>;

const lifetimeMs = 5 * 60 * 1000;

/** Keeps what the second request is compared with, for five minutes; returns its id. */
export async function keepChallenge(
  server: ServerScope,
  { purpose, operatorId }: { purpose: ChallengeRow['purpose']; operatorId?: string },
  expected: JsonObject,
): Promise<string> {
  const { id } = await server.write((unit) =>
    unit.insert('operatorChallenges', {
      id: unit.id('opc'),
      purpose,
      operatorId,
      expected,
      expiresAt: addMs(unit.now, lifetimeMs),
      createdAt: unit.now,
    }),
  );
  return id;
}

/** Returns what was kept and forgets it; undefined if it is unknown, taken, expired, or belongs to another ceremony. */
export function takeChallenge(
  server: ServerScope,
  id: string,
  { purpose, operatorId }: { purpose: ChallengeRow['purpose']; operatorId?: string },
): Promise<JsonObject | undefined> {
  return server.write(async (unit) => {
    const where = { id, purpose, operatorId: operatorId ?? null };
    const challenge = await unit.one('operatorChallenges', where);
    const taken = challenge && (await unit.remove('operatorChallenges', { id }));
    return taken === 1 && challenge!.expiresAt > unit.now ? challenge!.expected : undefined;
  });
}

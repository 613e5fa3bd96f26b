/** Operators: the people who use the console. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { normalizeEmail } from '../../lib/tokens.ts';
import { parseInput } from '../../lib/validation.ts';
import type { ServerReads, ServerUnit } from '../../tenancy/serverScope.ts';
import type { OperatorRow } from './sessions.ts';

export const operatorEmail = z.string().trim().max(254).pipe(z.email()).transform(normalizeEmail);
/** The address of the first operator, which the command line takes like others. */
export const firstEmail = 'admin@localhost';

/** An address on the command line, of the first operator too. */
export const operatorAddress = z.string().trim().toLowerCase().pipe(z.literal(firstEmail)).or(operatorEmail);

export const operatorName = z.string().trim().max(100);

/** Returns an operator by e-mail address, in any letter case. */
export const findOperatorByEmail = (reads: ServerReads, email: string): Promise<OperatorRow | undefined> =>
  reads.one('operators', { email: normalizeEmail(email) });

/** Returns an operator. Error: `operator_not_found`. */
export const findOperator = async (reads: ServerReads, id: string): Promise<OperatorRow> =>
  (await reads.one('operators', { id })) ?? refuse('operator_not_found');

/** Creates an operator, or returns the one with the address. */
export async function ensureOperator(
  unit: ServerUnit,
  input: { email: string; name?: string | null },
): Promise<{ operator: OperatorRow; isNew: boolean }> {
  const known = await findOperatorByEmail(unit, input.email);
  if (known) return { operator: known, isNew: false };
  const operator = await unit.insert('operators', {
    id: unit.id('opr'),
    email: normalizeEmail(input.email),
    name: input.name || null,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
  return { operator, isNew: true };
}

const changes = z.object({ name: operatorName.nullish() });

/** Changes the operator's own name. Error: `validation_failed`. */
export async function updateOperator(unit: ServerUnit, id: string, input: unknown): Promise<void> {
  const { name } = parseInput(changes, input);
  if (name !== undefined) await changeOperator(unit, id, { name: name || null });
}

/** Changes columns of an operator. */
export async function changeOperator(
  unit: ServerUnit,
  id: string,
  columns: Partial<OperatorRow>,
): Promise<void> {
  await unit.update('operators', { id }, { ...columns, updatedAt: unit.now });
}

/** Removes an operator with all sessions, links and passkeys. The memberships must have been removed before. */
export async function deleteOperator(unit: ServerUnit, operatorId: string): Promise<void> {
  for (const table of [
    'operatorSessions',
    'operatorLinks',
    'operatorPasskeys',
    'operatorChallenges',
  ] as const)
    await unit.remove(table, { operatorId });
  await unit.remove('operators', { id: operatorId });
}

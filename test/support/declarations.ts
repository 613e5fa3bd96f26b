/** What the root fields of the schema declare, by name. */
import { schema } from '../../src/app/schema.ts';
import type { Reason } from '../../src/lib/errors.ts';
import {
  getDeclaration,
  isServerOperation as isOfServer,
  listRootFields,
  type GrantingArgument,
  type Requirement,
} from '../../src/graphql/operations.ts';

const fields = listRootFields(schema);
const declared = fields.map((field) => [field.name, getDeclaration(field)] as const);

export const operationPermissions: Record<string, Requirement | undefined> = Object.fromEntries(
  declared.map(([name, { permission }]) => [name, permission]),
);

/** The arguments for which operators need a further permission. */
export const grantingArguments: Record<string, readonly GrantingArgument[] | undefined> = Object.fromEntries(
  declared.map(([name, { grants }]) => [name, grants]),
);

export const operationReasons: Record<string, Reason[]> = Object.fromEntries(
  declared.map(([name, { reasons }]) => [name, [...reasons]]),
);

/** Whether a root field belongs to the server, not to a tenant. */
export const isServerOperation = (name: string): boolean =>
  fields.some((field) => field.name === name && isOfServer(field));

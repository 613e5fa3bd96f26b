import type { GraphQLField } from 'graphql';

/** What a field costs besides the objects that it is answered with: 100 are about a millisecond of a server's time. */
interface Work {
  cost: number;
  /** Only where this argument is given. */
  with?: string;
  /** How many objects a list has that cannot be asked for by the page, where that is known. */
  size?: number;
}

const key = 'work';

/** Declares, as an extension of a field, the work that it takes. */
export const takesWork = (work: Work) => ({ [key]: work });

/** The work that a field declares, if any. */
export const findWork = ({ extensions }: GraphQLField<unknown, unknown>): Work | undefined =>
  extensions[key] as Work | undefined;

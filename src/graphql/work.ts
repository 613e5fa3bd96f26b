import type { GraphQLField } from 'graphql';

/**
 * The cost of a field in addition to the objects that it returns: 100 correspond to about a millisecond of CPU
 * time.
 */
export interface Work {
  cost: number;
  /** Counted only if this argument is given. */
  with?: string;
  /** The length of a list without pagination, if known. */
  size?: number;
}

const key = 'work';

/** Declares the cost of a field as an extension of it. */
export const declareWork = (work: Work) => ({ [key]: work });

/** Returns the cost that a field declares, if any. */
export const findWork = ({ extensions }: GraphQLField<unknown, unknown>): Work | undefined =>
  extensions[key] as Work | undefined;

import { useCallback, useEffect, useState } from 'react';
import { useClient, useQuery, type AnyVariables, type TypedDocumentNode } from 'urql';
import { readProblem, type Problem } from './errors.ts';
import { useLive, type LiveTrace } from './live.tsx';

/** What a screen knows of its data. */
export interface ScreenResult<Data> {
  data: Data | undefined;
  /** The variables that `data` and `problem` answer. They are those of before until the response to new ones arrives. */
  answered: AnyVariables | undefined;
  problem: Problem | undefined;
  /** Whether nothing can be shown yet; true only after a moment, so that a fast response shows no skeleton. */
  waiting: boolean;
  refetch: () => void;
}

/** Which events change a screen: those of a type, or about one of the records with these ids. */
export interface Follows {
  types?: LiveTrace['activityType'][];
  ids?: (string | null | undefined)[];
}

const noVariables = {};
const skeletonAfterMs = 120;

/** Loads the data of a screen, and again when an event changes them; nothing while it pauses. */
export function useScreenQuery<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  follows: Follows = noVariables,
  pause = false,
): ScreenResult<Data> {
  const [{ data, error, fetching, operation }, execute] = useQuery({ query, variables, pause });
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  useLive(
    (traces) => {
      if (!pause && traces.some((trace) => isFollowed(trace, follows))) refetch();
    },
    () => {
      if (!pause) refetch();
    },
  );
  const problem = error && readProblem(error);
  const found = problem && !hasAnything(data, problem) ? undefined : data;
  const late = useLate(fetching && !found);
  return {
    data: found,
    answered: operation?.variables,
    problem: found ? undefined : problem,
    waiting: late,
    refetch,
  };
}

/**
 * Whether a response with a problem has something to show. A record that does not exist is null, and its screen says so; a
 * server that failed returns null, too, and the screen would be empty.
 */
const hasAnything = (data: unknown, { status }: Problem): boolean =>
  Boolean(data) &&
  ((status < 500 && status !== 429) || Object.values(data as object).some((each) => each !== null));

/** Returns a function that makes one query, and throws if it fails. */
export function useLoad() {
  const client = useClient();
  return async <Data, Variables extends AnyVariables>(
    query: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ): Promise<Data> => {
    const { data, error } = await client.query(query, variables).toPromise();
    if (!data || (error && !hasAnything(data, readProblem(error)))) throw error ?? new Error('No data');
    return data;
  };
}

/** Whether an event changes what is followed. */
export function isFollowed({ activityType, event }: LiveTrace, { types, ids }: Follows): boolean {
  if (types?.includes(activityType)) return true;
  const subjects: (string | undefined)[] = [event.resourceId, event.customer?.customerId];
  return ids?.some((id) => id && subjects.includes(id)) ?? false;
}

/** Becomes true when `condition` has been true for a moment. */
function useLate(condition: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!condition) return undefined;
    const timer = setTimeout(() => setLate(true), skeletonAfterMs);
    return () => clearTimeout(timer);
  }, [condition]);
  return condition && late;
}

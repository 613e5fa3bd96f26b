import { useCallback, useEffect, useState } from 'react';
import { useClient, useQuery, type AnyVariables, type TypedDocumentNode } from 'urql';
import { readProblem, type Problem } from './errors.ts';
import { useLive, type LiveTrace } from './live.tsx';

/** What a screen knows of its data. */
export interface ScreenResult<Data> {
  data: Data | undefined;
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
  const [{ data, error, fetching }, execute] = useQuery({ query, variables, pause });
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  useLive(
    (traces) => {
      if (!pause && traces.some((trace) => isFollowed(trace, follows))) refetch();
    },
    () => {
      if (!pause) refetch();
    },
  );
  const late = useLate(fetching && !data);
  return {
    data,
    problem: error && !data ? readProblem(error) : undefined,
    waiting: late,
    refetch,
  };
}

/** Returns a function that makes one query, and throws if it fails. */
export function useLoad() {
  const client = useClient();
  return async <Data, Variables extends AnyVariables>(
    query: TypedDocumentNode<Data, Variables>,
    variables: Variables,
  ): Promise<Data> => {
    const { data, error } = await client.query(query, variables).toPromise();
    if (!data) throw error ?? new Error('No data');
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

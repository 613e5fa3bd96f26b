import { useCallback, useRef, useState } from 'react';
import { useClient, type AnyVariables, type TypedDocumentNode } from 'urql';
import { useStepUp } from '../app/StepUp.tsx';
import { getHeaders } from './client.ts';
import { readProblem, type Problem } from './errors.ts';
import { useSession } from './session.tsx';

/** Something the operator can do: a mutation. */
export interface Action<Data, Variables> {
  /** Runs the mutation; returns its data, or undefined if it was refused, which `problem` explains. */
  run: (variables: Variables) => Promise<Data | undefined>;
  busy: boolean;
  problem: Problem | undefined;
  clear: () => void;
}

/**
 * Returns an action. If the server demands a recent proof of identity, the dialog for it opens, and the action runs again
 * afterwards. A request that got no response is repeated with the same idempotency key, so it happens once.
 */
export function useAction<Data, Variables extends AnyVariables>(
  mutation: TypedDocumentNode<Data, Variables>,
): Action<Data, Variables> {
  const client = useClient();
  const stepUp = useStepUp();
  const alias = useSession().membership?.tenant.alias;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const unanswered = useRef<{ key: string; variables: string }>(undefined);

  const attempt = useCallback(
    async (variables: Variables) => {
      const text = JSON.stringify(variables);
      const { key } = unanswered.current?.variables === text ? unanswered.current : { key: crypto.randomUUID() };
      unanswered.current = { key, variables: text };
      const headers = { ...getHeaders(alias), 'idempotency-key': key };
      const fetchOptions = { credentials: 'same-origin', headers } as const;
      const { data, error } = await client.mutation(mutation, variables, { fetchOptions }).toPromise();
      const failure = error && readProblem(error);
      if (failure?.reason !== 'offline') unanswered.current = undefined;
      return { data, failure };
    },
    [client, mutation, alias],
  );

  const run = useCallback(
    async (variables: Variables) => {
      setBusy(true);
      setProblem(undefined);
      let { data, failure } = await attempt(variables);
      if (failure?.reason === 'step_up_required' && (await stepUp())) {
        ({ data, failure } = await attempt(variables));
      }
      setBusy(false);
      setProblem(failure);
      return failure ? undefined : (data ?? undefined);
    },
    [attempt, stepUp],
  );
  const clear = useCallback(() => setProblem(undefined), []);
  return { run, busy, problem, clear };
}

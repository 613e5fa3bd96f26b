import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/**
 * A value that is part of the address: a filter, a tab, an open panel. Returns it, '' if the address has none, and a
 * function that changes it; the step back in the browser's history undoes the change only if `push` is set.
 */
export function useUrlValue(name: string, push = false): [string, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParameters(
        (before) => {
          const next = new URLSearchParams(before);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: !push },
      ),
    [name, push, setParameters],
  );
  return [parameters.get(name) ?? '', set];
}

/** Returns where to go after a sign-in: only a path of the console, never the address of another site. */
export function readNext(parameters: URLSearchParams): string {
  const next = parameters.get('next') ?? '';
  return /^\/(?![/\\])/.test(next) ? next : '/';
}

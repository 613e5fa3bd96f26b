import { createContext, useContext, useLayoutEffect, useMemo, useState } from 'react';
import { useUnsaved } from '../data/unsaved.ts';

/** What the parts of a form share. */
interface FormScope {
  /** The labels of the fields by their paths in the input, so that refusals name the fields as the form does. */
  labels: Map<string, string>;
  setTyped: (isTyped: boolean) => void;
}

export const FormScopeContext = createContext<FormScope | undefined>(undefined);

/** Returns the scope of the form around a part; undefined outside of forms. */
export const useScope = (): FormScope | undefined => useContext(FormScopeContext);

/**
 * Returns the scope of a new form, and whether something was typed that is not saved. Then `ask` is called before another screen
 * opens. `isForm` is false for a dialog that sends nothing.
 */
export function useFormScope(
  isForm: boolean,
  ask: (leave: () => void) => void,
): { scope: FormScope; isTyped: boolean } {
  const [isTyped, setTyped] = useState(false);
  const scope = useMemo(
    () => ({ labels: new Map<string, string>(), setTyped: (value: boolean) => setTyped(isForm && value) }),
    [isForm],
  );
  useUnsaved(isTyped, ask);
  return { scope, isTyped };
}

/** Tells the form the label of the field with a path. */
export function useLabel(path: string | undefined, label: string): void {
  const scope = useScope();
  useLayoutEffect(() => {
    if (path !== undefined) scope?.labels.set(path, label);
  }, [scope, path, label]);
}

import { useState } from 'react';
import type { Problem } from '../data/errors.ts';
import { findRefusal, type Refusable } from '../texts/problems.ts';

type Target = { target: { value: string } };
type CheckTarget = { target: { checked: boolean } };

interface Bound {
  value: string;
  onChange: (event: Target) => void;
}

interface Checked {
  checked: boolean;
  path: string;
  onChange: (event: CheckTarget) => void;
}

/** The values of a form, and the properties of its fields. */
export interface Form<Values> {
  values: Values;
  change: (changes: Partial<Values>) => void;
  /** Properties of a `Field`, `TextArea` or `Select`. */
  bind: (name: keyof Values & string, path?: string) => Bound & Refusable;
  /** Properties of a `Checkbox`. */
  check: (name: keyof Values & string) => Checked;
}

/** Holds the values of a form; the problem of the last attempt shows beside the field that it names. */
export function useForm<Values extends object>(initial: Values, problem?: Problem): Form<Values> {
  const [values, setValues] = useState(initial);
  const change = (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes }));
  const put = (name: string, value: unknown) => change({ [name]: value } as Partial<Values>);
  return {
    values,
    change,
    bind: (name, path = name) => ({
      ...findRefusal(problem, path),
      value: String(values[name] ?? ''),
      onChange: ({ target }) => put(name, target.value),
    }),
    check: (name) => ({
      checked: Boolean(values[name]),
      path: name,
      onChange: ({ target }) => put(name, target.checked),
    }),
  };
}

/** An optional text: null if it is empty. */
export const orNull = (text: string): string | null => text.trim() || null;

import { useCallback, useState } from 'react';

const prefix = 'perennial:';

/**
 * A setting of this browser, kept in its local storage: the language, the theme, the columns of a list. Nothing secret.
 * Returns its value and a function that changes it.
 */
export function useStored<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => readStored(name, initial));
  const set = useCallback(
    (changed: T) => {
      setValue(changed);
      writeStored(name, changed);
    },
    [name],
  );
  return [value, set];
}

/** Reads a setting of this browser; returns `initial` if it has none, or denies access. */
export function readStored<T>(name: string, initial: T): T {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? initial : (JSON.parse(text) as T);
  } catch {
    return initial;
  }
}

/** Keeps a setting in this browser. */
export function writeStored(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing forgets the setting with the page.
  }
}

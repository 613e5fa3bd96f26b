/**
 * A value that is available at once, as SQLite returns it, or a promise, as PostgreSQL returns it; callers await
 * either.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Applies a step to a value: at once if it is available, which saves a promise, otherwise when it resolves. */
export const mapMaybe = <T, U>(
  value: MaybePromise<T>,
  step: (value: T) => MaybePromise<U>,
): MaybePromise<U> => (value instanceof Promise ? value.then(step) : step(value));

/** What may be there already, as SQLite's answers are, or come later, as PostgreSQL's do; callers await either. */
export type MaybePromise<T> = T | Promise<T>;

/** What a step makes of a value: at once where that is there, which saves a promise; else when it has come. */
export const mapMaybe = <T, U>(
  value: MaybePromise<T>,
  step: (value: T) => MaybePromise<U>,
): MaybePromise<U> => (value instanceof Promise ? value.then(step) : step(value));

/** What may be there already, as SQLite's answers are, or come later, as PostgreSQL's do; callers await either. */
export type Awaitable<T> = T | Promise<T>;

/** What follows from a value: at once where it is there, later where it has yet to come. A wait costs more than most steps. */
export const andThen = <T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> =>
  value instanceof Promise ? value.then(next) : next(value);

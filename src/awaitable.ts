/** What may be there already, as SQLite's answers are, or come later, as PostgreSQL's do; callers await either. */
export type Awaitable<T> = T | Promise<T>;

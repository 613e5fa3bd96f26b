/** Returns a function that makes a value when it is first called, and returns it from then on. */
export function makeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

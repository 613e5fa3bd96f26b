/** Divides a list into lists of at most this length, at least one. */
export const divideIntoChunks = <T>(items: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.max(1, Math.ceil(items.length / most)) }, (_, index) =>
    items.slice(index * most, (index + 1) * most),
  );

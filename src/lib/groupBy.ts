/** Groups rows by a key, in their order; omits rows whose key is null. */
export function groupBy<R>(rows: Iterable<R>, getKey: (row: R) => string | null): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const key = getKey(row);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** Makes an object of what comes; `more` is whatever else its fields are made of. */
export type Shape<From, More> = (from: From, more: More) => Record<string, unknown>;

/**
 * A function that answers objects with these fields. `expression` is the JavaScript of a field's value, which may name
 * `from` and `more`. Made at once, an object of ten fields costs V8 a seventh of one that gets them one by one, and one
 * of thirty a tenth.
 */
export function shaped<From, More>(
  fields: readonly string[],
  expression: (field: string, index: number) => string,
): Shape<From, More> {
  const members = fields.map((field, index) => `${JSON.stringify(field)}: ${expression(field, index)}`);
  // The fields are names of ours, never a client's.
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function('from', 'more', `return {${members.join()}};`) as Shape<From, More>;
}

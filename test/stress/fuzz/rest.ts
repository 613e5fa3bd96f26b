import fc from 'fast-check';
import { chance, pick, textFor, drawValue, type Choose, type FuzzRequest } from './requests.ts';

/** A request of an operation of the OpenAPI document. */
export function drawRestRequest(g: Choose, document: any): FuzzRequest {
  const [path, item] = pick(g, Object.entries<any>(document.paths));
  const methods = Object.keys(item).filter((name) => name !== 'parameters');
  const method = pick(g, methods);
  const operation = item[method];
  const query: string[] = [];
  let filled = path;
  for (const parameter of operation.parameters ?? []) {
    const { name, schema, required } = parameter;
    if (parameter.in === 'path') filled = filled.replace(`{${name}}`, part(textFor(g, name)));
    if (parameter.in !== 'query' || (required ? chance(g, 20) : chance(g, 2))) continue;
    const value = drawValue(g, schema, document, name);
    query.push(`${name}=${part(typeof value === 'string' ? value : JSON.stringify(value))}`);
  }
  const content = operation.requestBody?.content['application/json'].schema;
  const body = content && JSON.stringify(drawValue(g, content, document, ''));
  return {
    method: (chance(g, 40)
      ? pick(g, ['put', 'head', 'options', 'trace', 'delete', 'patch'])
      : method
    ).toUpperCase(),
    path: `/api/v1${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: drawHeaders(g),
    body,
  };
}

/** Percent-encoded, but for the placeholders. */
const part = (text: string) =>
  text.startsWith('@@') ? text : encodeURIComponent(text.toWellFormed()).replace(/^\.+$/, '%2E');

/** Headers that any request may have. */
export function drawHeaders(g: Choose): Record<string, string> {
  const printable = () => g(fc.string, { unit: 'grapheme-ascii', maxLength: 30 }).trim();
  return {
    ...(chance(g, 5) && { 'idempotency-key': pick(g, ['a', 'b', printable()]) }),
    ...(chance(g, 8) && { 'x-executor-id': printable() }),
    ...(chance(g, 8) && { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-0${g(fc.nat, { max: 20 })}` }),
    ...(chance(g, 30) && { accept: pick(g, ['text/html', '*/*', 'text/event-stream', printable()]) }),
    ...(chance(g, 40) && {
      'content-type': pick(g, ['text/plain', 'application/json; charset=x', printable()]),
    }),
    ...(chance(g, 60) && { 'content-encoding': pick(g, ['gzip', 'br', 'identity']) }),
  };
}

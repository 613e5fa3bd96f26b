/** The methods with which a request is refused by the methods of its path; others find no path. */
const refused = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A route: its path, with parameters as `:name`, and its method. */
interface Served {
  url: string;
  method: string;
}

/** Finds the methods of a path, `GET, HEAD`, for a request that no route has taken; undefined if there is no such path. */
export type FindAllowed = (method: string, url: string) => string | undefined;

/** Finds them by the routes: one for each refused method would take a tenth of the time in which an application starts. */
export function createFindAllowed(served: Served[]): FindAllowed {
  const methodsByUrl = new Map<string, string[]>();
  for (const { url, method } of served) {
    const methods = methodsByUrl.get(url) ?? [];
    methodsByUrl.set(url, [...methods, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
  }
  // Routes prefer a fixed part to a parameter.
  const urls = [...methodsByUrl.keys()].toSorted((a, b) => countParameters(a) - countParameters(b));
  return (method, url) => {
    const found = refused.has(method) ? urls.find((known) => matches(known, url)) : undefined;
    return found && methodsByUrl.get(found)!.join(', ');
  };
}

/** Lists what a path with a parameter would take from a fixed one: `PATCH /customers/search` is no change of a customer `search`. */
export function listShadowed(served: Served[]): Served[] {
  const has = (url: string, method: string) =>
    served.some((route) => route.url === url && route.method === method);
  const urls = new Set(served.map(({ url }) => url));
  return [...urls].flatMap((fixed) =>
    served
      .filter(({ url, method }) => url !== fixed && matches(url, fixed) && !has(fixed, method))
      .map(({ method }) => ({ url: fixed, method })),
  );
}

const countParameters = (url: string) => url.split('/:').length;
const splitPath = (url: string) => url.split('?')[0]!.replace(/\/$/, '').split('/');

function matches(pattern: string, url: string): boolean {
  const [known, parts] = [splitPath(pattern), splitPath(url)];
  return (
    known.length === parts.length && known.every((part, at) => part === parts[at] || part.startsWith(':'))
  );
}

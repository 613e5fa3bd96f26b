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
  const known = [...methodsByUrl].map(([url, methods]) => ({ parts: splitPath(url), methods }));
  // Routes prefer a fixed part to a parameter.
  known.sort((a, b) => countParameters(a.parts) - countParameters(b.parts));
  return (method, url) => {
    if (!refused.has(method)) return undefined;
    const parts = splitPath(url);
    return known.find((each) => matches(each.parts, parts))?.methods.join(', ');
  };
}

/** Lists what a path with a parameter would take from a fixed one: `PATCH /customers/search` is no change of a customer `search`. */
export function listShadowed(served: Served[]): Served[] {
  const routes = served.map((route) => ({ ...route, parts: splitPath(route.url) }));
  const withParameters = routes.filter(({ parts }) => countParameters(parts) > 0);
  const has = (url: string, method: string) =>
    served.some((route) => route.url === url && route.method === method);
  const partsByUrl = new Map(routes.map(({ url, parts }) => [url, parts]));
  return [...partsByUrl].flatMap(([fixed, parts]) =>
    withParameters
      .filter((each) => each.url !== fixed && matches(each.parts, parts) && !has(fixed, each.method))
      .map(({ method }) => ({ url: fixed, method })),
  );
}

const isParameter = (part: string) => part.startsWith(':');
const countParameters = (parts: string[]) => parts.filter(isParameter).length;
const splitPath = (url: string) => url.split('?')[0]!.replace(/\/$/, '').split('/');

const matches = (known: string[], parts: string[]): boolean =>
  known.length === parts.length && known.every((part, at) => part === parts[at] || isParameter(part));

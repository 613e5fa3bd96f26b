/**
 * Returns the address that the payer's browser is redirected to: `address` with the intent's id and status added to
 * its query. Throws an Error for addresses other than http and https, which validation refuses earlier.
 */
export function buildRedirectUrl(address: string, { id, status }: { id: string; status: string }): string {
  const { href } = parseWebUrl(address);
  const hash = href.indexOf('#');
  const [url, fragment] = hash < 0 ? [href, ''] : [href.slice(0, hash), href.slice(hash)];
  const query = new URLSearchParams({ intentId: id, status }).toString();
  return `${url}${findSeparator(url)}${query}${fragment}`;
}

function findSeparator(url: string): string {
  if (!url.includes('?')) return '?';
  return url.endsWith('?') || url.endsWith('&') ? '' : '&';
}

/** Returns whether an address is an http or https URL. */
export function isWebUrl(address: string | null): address is string {
  return address !== null && /^https?:\/\//i.test(address) && URL.canParse(address);
}

function parseWebUrl(address: string): URL {
  if (!isWebUrl(address)) throw new Error('Payers can be redirected to http and https addresses only.');
  return new URL(address);
}

/** Returns the scheme of an address as written in a Content-Security-Policy: `https:` or `http:`. */
export function getScheme(address: string): string {
  return parseWebUrl(address).protocol;
}

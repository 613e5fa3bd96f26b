/**
 * The address that a payer's browser goes on to, told what became of the intent; what the address had stays as it
 * was. Throws for anything but http and https, which the rules have never let in.
 */
export function onwardUrl(address: string, { id, status }: { id: string; status: string }): string {
  const { href } = webUrl(address);
  const hash = href.indexOf('#');
  const [url, fragment] = hash < 0 ? [href, ''] : [href.slice(0, hash), href.slice(hash)];
  const query = new URLSearchParams({ intentId: id, status }).toString();
  return `${url}${joint(url)}${query}${fragment}`;
}

function joint(url: string): string {
  if (!url.includes('?')) return '?';
  return url.endsWith('?') || url.endsWith('&') ? '' : '&';
}

/** Whether a browser can be sent there. */
export function isWebUrl(address: string | null): address is string {
  return address !== null && /^https?:\/\//i.test(address) && URL.canParse(address);
}

function webUrl(address: string): URL {
  if (!isWebUrl(address)) throw new Error('A payer is sent only to http and https addresses.');
  return new URL(address);
}

/** The scheme of an address, as a Content-Security-Policy names it: `https:` or `http:`. */
export function getScheme(address: string): string {
  return webUrl(address).protocol;
}

/** A browser of a portal customer: it keeps cookies and sends the forms of the pages that it has seen. */
import type { Answer, Client, TestApp } from './app.ts';
import { inject } from './world.ts';

export interface PortalBrowser {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends the form of the last page whose action ends with `action`, with further fields. */
  submit(action: string, fields?: Record<string, string>): Promise<Answer>;
  /** Sends any form. */
  post(
    path: string,
    fields?: Record<string, string>,
    headers?: Record<string, string | undefined>,
  ): Promise<Answer>;
  /** The fields of a form of the last page. */
  fields(action: string): Record<string, string>;
  /** Follows redirects within the portal. */
  follow(answer: Answer): Promise<Answer>;
  cookie: string;
  text: string;
}

/** Opens a browser without cookies. Its forms come from pages of the server. */
export function openPortalBrowser(app: TestApp, origin: string): PortalBrowser {
  const base = { host: new URL(origin).host };
  const browser: PortalBrowser = {
    cookie: '',
    text: '',
    get: async (url, headers = {}) =>
      keep(await inject(app, { url, headers: { ...base, ...cookies(), ...headers } })),
    post: async (url, fields = {}, headers = {}) =>
      keep(
        await inject(app, {
          method: 'POST',
          url,
          headers: omitUnset({
            ...base,
            ...cookies(),
            origin,
            'sec-fetch-site': 'same-origin',
            'content-type': 'application/x-www-form-urlencoded',
            ...headers,
          }),
          payload: new URLSearchParams(fields).toString(),
        }),
      ),
    fields: (action) => {
      const form = findForm(browser.text, action);
      const inputs = Array.from(form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g));
      return Object.fromEntries(inputs.map(([, name, value]) => [name!, unescape(value!)]));
    },
    submit: async (action, fields = {}) => {
      const form = findForm(browser.text, action);
      const [, path] = /action="([^"]+)"/.exec(form)!;
      return browser.post(path!, { ...browser.fields(action), ...fields });
    },
    follow: async (answer) =>
      answer.status === 303 ? browser.follow(await browser.get(String(answer.headers['location']))) : answer,
  };
  const cookies = (): Record<string, string> => (browser.cookie === '' ? {} : { cookie: browser.cookie });
  const keep = (answer: Answer): Answer => {
    const set = answer.headers['set-cookie'];
    if (set !== undefined) browser.cookie = /^[^=]+=;/.test(String(set)) ? '' : String(set).split(';')[0]!;
    browser.text = answer.text;
    return answer;
  };
  return browser;
}

const omitUnset = (headers: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

const unescape = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

function findForm(text: string, action: string): string {
  const forms = Array.from(text.matchAll(/<form.*?<\/form>/gs), ([form]) => form);
  const found = forms.find((form) => new RegExp(`action="[^"]*${action.replaceAll('?', '\\?')}"`).test(form));
  if (found === undefined) throw new Error(`no form for ${action} in ${text}`);
  return found;
}

/** The words of a page. */
export const wordsOf = (text: string): string =>
  text
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/[\s\u00A0]+/g, ' ')
    .trim();

const createDocument = `mutation ($input: CreatePortalSessionInput!) {
  createPortalSession(input: $input) { url expiresAt session { id } }
}`;

/** Creates a link. Returns its path and the session's id. */
export async function createLink(
  client: Client,
  input: Record<string, unknown>,
): Promise<{ path: string; id: string; url: string }> {
  const { url, session } = (await client.graphql(createDocument, { input })).createPortalSession;
  return { path: new URL(url).pathname, id: session.id, url };
}

/** Signs a customer in by a link, on the page that it opens. */
export async function signIn(
  app: TestApp,
  client: Client,
  input: Record<string, unknown>,
  origin = 'http://pay.test',
): Promise<PortalBrowser> {
  const browser = openPortalBrowser(app, origin);
  const { path } = await createLink(client, input);
  await browser.get(path);
  await browser.follow(await browser.submit(path));
  return browser;
}

/** Changes the settings of the portal. */
export const setPortal = (client: Client, portal: object | null): Promise<unknown> =>
  client.graphql(
    'mutation ($portal: PortalSettingsInput) { updateTenant(input: { portal: $portal }) { name } }',
    {
      portal,
    },
  );

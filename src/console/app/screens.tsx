import { lazy, type ComponentType } from 'react';
import type { IconName } from '../design/Icon.tsx';
import type { texts } from './texts.ts';

/** A place of the console: the folder in `screens` that shows it, and its address below the tenant's. */
interface Place {
  folder: string;
  path: string;
}

/** A place that the sidebar shows. */
export interface NavPlace extends Place {
  label: keyof typeof texts.en;
  icon: IconName;
  group: 'work' | 'catalog' | 'developers' | 'settings';
}

const nav: NavPlace[] = [
  { folder: 'home', path: '/', label: 'home', icon: 'home', group: 'work' },
  { folder: 'customers', path: '/customers', label: 'customers', icon: 'customers', group: 'work' },
  {
    folder: 'subscriptions',
    path: '/subscriptions',
    label: 'subscriptions',
    icon: 'subscriptions',
    group: 'work',
  },
  { folder: 'invoices', path: '/invoices', label: 'invoices', icon: 'invoices', group: 'work' },
  { folder: 'payments', path: '/payments', label: 'payments', icon: 'payments', group: 'work' },
  { folder: 'reports', path: '/reports', label: 'reports', icon: 'events', group: 'work' },
  { folder: 'approvals', path: '/approvals', label: 'approvals', icon: 'check', group: 'work' },
  { folder: 'catalog', path: '/catalog', label: 'catalog', icon: 'catalog', group: 'catalog' },
  { folder: 'coupons', path: '/coupons', label: 'coupons', icon: 'coupons', group: 'catalog' },
  { folder: 'meters', path: '/meters', label: 'meters', icon: 'meters', group: 'catalog' },
  { folder: 'keys', path: '/keys', label: 'keys', icon: 'keys', group: 'developers' },
  { folder: 'webhooks', path: '/webhooks', label: 'webhooks', icon: 'webhooks', group: 'developers' },
  { folder: 'events', path: '/events', label: 'events', icon: 'events', group: 'developers' },
  { folder: 'mails', path: '/mails', label: 'mails', icon: 'mail', group: 'developers' },
  { folder: 'clock', path: '/clock', label: 'clock', icon: 'clock', group: 'settings' },
  { folder: 'settings', path: '/settings', label: 'settings', icon: 'settings', group: 'settings' },
];

/** Records and parts of places: without an entry in the sidebar. `:name` becomes a property of the screen. */
const inner: Place[] = [
  { folder: 'customer', path: '/customers/:id' },
  { folder: 'subscription', path: '/subscriptions/:id' },
  { folder: 'invoice', path: '/invoices/:id' },
  { folder: 'creditNote', path: '/credit-notes/:id' },
  { folder: 'product', path: '/catalog/:id' },
  { folder: 'price', path: '/catalog/:productId/prices/:id' },
  { folder: 'coupon', path: '/coupons/:id' },
  { folder: 'meter', path: '/meters/:id' },
  { folder: 'webhook', path: '/webhooks/:id' },
  { folder: 'delivery', path: '/deliveries/:id' },
  { folder: 'event', path: '/events/:id' },
  { folder: 'mail', path: '/mails/:id' },
  { folder: 'approval', path: '/approvals/:id' },
  { folder: 'reports', path: '/reports/:part' },
  { folder: 'settings', path: '/settings/:part' },
];

type ScreenModule = { Screen: ComponentType<any> };

type LoadScreen = () => Promise<ScreenModule>;

const pauseMs = 500;

/** A connection may break once; after an update of the server the files are gone for good. */
async function loadAgain(load: LoadScreen): Promise<ScreenModule> {
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  return load();
}

/** Returns what imports a screen once: a second import would not wait for styles that the first still loads. */
function loadOnce(load: LoadScreen): LoadScreen {
  let loading: Promise<ScreenModule> | undefined;
  return () => {
    loading ??= load().catch(() => loadAgain(load));
    loading.catch(() => (loading = undefined));
    return loading;
  };
}

/** Returns a screen that is loaded when it is first shown. */
export function createLazyScreen(load: LoadScreen): ComponentType<any> {
  return lazy(async () => ({ default: (await load()).Screen }));
}

/** What loads the screen of each folder, and the screen itself. */
const loadable = new Map(
  Object.entries(import.meta.glob<ScreenModule>('../screens/*/Screen.tsx')).map(([file, importScreen]) => {
    const load = loadOnce(importScreen);
    return [file.split('/').at(-2)!, { load, Component: createLazyScreen(load) }];
  }),
);

/** The places with a screen, for the router. */
export const screens = [...nav, ...inner].flatMap(({ folder, path }) => {
  const screen = loadable.get(folder);
  return screen ? [{ folder, path, ...screen }] : [];
});

/** The places of the sidebar with a screen. */
export const navPlaces = nav.filter(({ folder }) => loadable.has(folder));

/** Begins to load a screen, before the press that opens it. */
export function preloadScreen(folder: string): void {
  // A failure shows when the screen is opened.
  loadable
    .get(folder)
    ?.load()
    .catch(() => undefined);
}

/** Begins to load the screen of an address while the session is being asked for. */
export function preloadAddress(address: string): void {
  const [, place] = /^\/console\/t\/[^/]+(\/.*)?$/.exec(address) ?? [];
  const wanted = (place ?? '/').replace(/(.)\/$/, '$1');
  const screen = screens.find(({ path }) => RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`).test(wanted));
  screen?.load().catch(() => undefined);
}

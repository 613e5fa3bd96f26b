/** How a walk is made: a visitor of a role, in a window of their own. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { OperatorRole } from '../../src/storage/model/operators.ts';
import { stepLimitMs, watchDocuments } from '../support/browser.ts';
import { tenant, type Stage } from './stage.ts';

/** Who walks: an operator who is signed in, or nobody yet; and how the window looks. */
export interface Visitor extends BrowserContextOptions {
  role?: OperatorRole | 'nobody';
  width?: number;
}

/** What a walk does its steps with. */
export interface Walk {
  stage: Stage;
  page: Page;
  context: BrowserContext;
  /** Opens a screen of the tenant. */
  open: (place: string) => Promise<unknown>;
  /** Waits until a text can be seen. */
  see: (text: string | RegExp) => Promise<unknown>;
  /** Presses the first button with a name. */
  press: (name: string | RegExp) => Promise<unknown>;
  /** Presses a button of the dialog. */
  confirm: (name: string | RegExp) => Promise<unknown>;
  /** Chooses an entry of the menu with the less frequent actions. */
  choose: (name: string | RegExp) => Promise<unknown>;
  fill: (label: string | RegExp, value: string) => Promise<unknown>;
  select: (label: string | RegExp, value: string | { label: string } | { index: number }) => Promise<unknown>;
  /** Waits for the heading of a screen. */
  arrive: (name: string | RegExp) => Promise<unknown>;
  toggle: (label: string | RegExp) => Promise<unknown>;
}

export type Walks = [name: string, visitor: Visitor, walk: (walk: Walk) => Promise<void>][];

/** Returns a function that opens a window for a visitor; operators of one role share their session. */
export function createVisitors(stage: Stage, browser: Browser) {
  const sessions = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>();

  const openWindow = async (options: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(stepLimitMs);
    return { context, page };
  };

  const signIn = async (role: OperatorRole) => {
    const known = sessions.get(role);
    if (known) return known;
    const { context, page } = await openWindow({ locale: 'en' });
    await page.goto(await stage.invite(`${role}@example.com`, role));
    await page.getByRole('button', { name: 'Open the console with this link' }).click();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const session = await context.storageState();
    await context.close();
    sessions.set(role, session);
    return session;
  };

  return async ({ role = 'owner', width = 1280, ...options }: Visitor) => {
    const { context, page } = await openWindow({
      viewport: { width, height: 860 },
      locale: 'en',
      ...(role !== 'nobody' && { storageState: await signIn(role) }),
      ...options,
    });
    const complaints: string[] = [];
    page.on('console', (message) => {
      const isRefusal = /status of 40[013]/.test(message.text());
      if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
    });
    page.on('pageerror', (error) => void complaints.push(String(error)));
    watchDocuments(context, complaints);
    const dialog = page.getByRole('dialog');
    const helpers: Omit<Walk, 'stage'> = {
      page,
      context,
      open: (place) => page.goto(`${stage.base}/console/t/${tenant}${place}`),
      see: (text) => page.getByText(text).first().waitFor(),
      press: (name) => page.getByRole('button', { name }).first().click(),
      confirm: (name) => dialog.getByRole('button', { name }).last().click(),
      choose: async (name) => {
        await page.getByRole('button', { name: 'More actions' }).first().click();
        await page.getByRole('menuitem', { name }).click();
      },
      fill: (label, value) => page.getByLabel(label).last().fill(value),
      select: (label, value) => page.getByLabel(label).last().selectOption(value),
      arrive: (name) => page.getByRole('heading', { level: 1, name }).waitFor(),
      toggle: (label) => page.getByLabel(label).last().click(),
    };
    return { ...helpers, complaints, leave: () => context.close() };
  };
}

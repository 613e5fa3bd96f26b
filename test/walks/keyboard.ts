import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import { readStatus, sell } from './steps.ts';
import type { Walk, Walks } from './walk.ts';

/** Returns the name of the element that has the focus, as screen readers say it. */
const readFocus = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const { activeElement: focused } = document;
    const label = focused.labels?.[0]?.innerText;
    return (focused.getAttribute('aria-label') ?? label ?? focused.innerText ?? '').trim();
  })()`);

/** More than a screen has. */
const mostStops = 150;

/** What a person does who has no pointer. */
function useKeyboard({ page }: Walk) {
  const key = (...names: string[]) =>
    names.reduce((before, name) => before.then(() => page.keyboard.press(name)), Promise.resolve());
  /** Presses Tab until something with a name has the focus. */
  const reach = async (name: RegExp) => {
    const seen: string[] = [];
    for (let stop = 0; stop < mostStops; stop += 1) {
      const focused = await readFocus(page);
      if (name.test(focused)) return;
      seen.push(focused);
      await page.keyboard.press('Tab');
    }
    expect.fail(`The keyboard does not reach ${String(name)}, only ${JSON.stringify(seen)}`);
  };
  const press = async (name: RegExp) => {
    await reach(name);
    await page.keyboard.press('Enter');
  };
  /** Replaces what a field has. */
  const write = async (name: RegExp, text: string) => {
    await reach(name);
    await key('Control+a');
    await page.keyboard.type(text);
  };
  /** Chooses an entry of the menu that has just opened, by its first letters. */
  const choose = async (name: string) => {
    await page.locator('[role=menu] :focus').waitFor();
    for (let entry = 0; entry < 20; entry += 1) {
      const focused = await readFocus(page);
      if (focused.startsWith(name)) return page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      // A busy page moves the focus a moment later.
      await expect.poll(() => readFocus(page)).not.toBe(focused);
    }
    return expect.fail(`The menu has no entry ${name}`);
  };
  /** Opens the entry of the menu of further actions. */
  const act = async (name: string) => {
    await press(/^More actions$/);
    await choose(name);
    await page.getByRole('dialog').waitFor();
  };
  /** Finds a record in the command menu, and opens it. */
  const find = async (text: string, heading: string | RegExp) => {
    await key('Control+k');
    await page.locator('.commands input:focus').waitFor();
    await page.keyboard.type(text);
    await page.locator('.commands').getByRole('option').first().waitFor();
    await expect
      .poll(() => page.locator('.commands').getByRole('option', { selected: true }).innerText())
      .toMatch(heading);
    await key('Enter');
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  };
  return { key, reach, press, write, choose, act, find };
}

/** The tasks of every day, with the keyboard alone. */
export const keyboardWalks: Walks = [
  [
    'by keyboard: finds a customer, and changes their address',
    { role: 'support' },
    async (walk) => {
      const { stage, open, see, arrive } = walk;
      const { write, press, act, find } = useKeyboard(walk);
      await stage.shop.customer({ firstName: 'Kay', lastName: 'Board', email: 'kay@travel.example' });
      await open('/');
      await arrive('Home');
      await find('travel.exam', /Kay Board/);
      await act('Edit');
      await write(/^E-mail/, 'kay@rail.example');
      await press(/^Save$/);
      await see('Saved');
      await see('kay@rail.example');
    },
  ],
  [
    'by keyboard: filters a list, chooses a column, saves the view, opens a row',
    {},
    async (walk) => {
      const { stage, open, page, see } = walk;
      const { key, reach, press, choose, write } = useKeyboard(walk);
      await sell(stage);
      await open('/invoices');
      await page.locator('tr[data-row]').first().waitFor();
      await key('/');
      await reach(/^Status/);
      await page.keyboard.type('Paid');
      await expect.poll(() => new URL(page.url()).searchParams.get('status')).toBe('paid');
      await press(/^Columns$/);
      await choose('Tax');
      await key('Escape');
      await page.getByRole('columnheader', { name: 'Tax', exact: true }).waitFor();
      await press(/^Views$/);
      await choose('Save this view');
      await page.getByRole('dialog').waitFor();
      await write(/^Name/, 'Paid with tax');
      await key('Enter');
      await see('The view Paid with tax is saved');
      await page.locator('tr[data-row]').first().waitFor();
      await page.evaluate('document.activeElement.blur()');
      await key('j');
      await expect.poll(() => readFocus(page)).toMatch(/^INV/);
      await key('Enter');
      await page.getByRole('heading', { level: 1, name: /^INV/ }).waitFor();
    },
  ],
  [
    'by keyboard: sends an invoice, refunds a part of it with a reason',
    {},
    async (walk) => {
      const { stage, open, see, arrive, page } = walk;
      const { act, press, write } = useKeyboard(walk);
      const { invoiceId } = await sell(stage);
      await open(`/invoices/${invoiceId}`);
      await arrive(/^INV/);
      await page.getByRole('button', { name: 'Refund …' }).waitFor();
      await act('Send by mail');
      await press(/^Send to buyer-/);
      // A test tenant sends to its address for mails, or to nobody.
      await see(/^(Sent to |Not sent)/);
      await press(/^Refund …$/);
      await page.getByRole('dialog').waitFor();
      await write(/^Amount/, '12,50');
      await write(/^Reason/, 'Two days without service');
      await press(/^Refund €12.50$/);
      await see('Refunded €12.50');
    },
  ],
  [
    'by keyboard: cancels a subscription at once',
    {},
    async (walk) => {
      const { stage, open, see, page } = walk;
      const { key, act, press, reach } = useKeyboard(walk);
      const { subscriptionId } = await sell(stage);
      await open(`/subscriptions/${subscriptionId}`);
      await page.getByRole('button', { name: 'Change …' }).waitFor();
      await act('Cancel');
      await see(/The next invoice, €50\.00 with tax, is not issued\./);
      await reach(/^When/);
      await key('ArrowDown');
      await press(/^Cancel now$/);
      await see('The subscription is cancelled');
      expect(await readStatus(stage, 'subscription', subscriptionId)).toBe('cancelled');
    },
  ],
  [
    'by keyboard: pauses a subscription until a day',
    { role: 'support' },
    async (walk) => {
      const { stage, open, see, page } = walk;
      const { key, act, press, reach } = useKeyboard(walk);
      const { subscriptionId } = await sell(stage);
      const { tenant } = await stage.client.graphql('{ tenant { clock } }');
      const end = new Date(Date.parse(tenant.clock) + 100 * 86_400_000);
      const [year, month, day] = end.toISOString().slice(0, 10).split('-');
      await open(`/subscriptions/${subscriptionId}`);
      await page.getByRole('button', { name: 'Change …' }).waitFor();
      await act('Pause');
      await reach(/^The pause ends/);
      await key('ArrowUp');
      await reach(/^Resumes on/);
      // A browser in English takes the month first.
      await page.keyboard.type(`${month}${day}${year}`);
      await press(/^Pause until /);
      await see(/It resumes by itself on/);
      await see('after the pause');
      const { subscription } = await stage.client.graphql(
        'query ($id: ID!) { subscription(id: $id) { status resumesAt nextInvoiceAt } }',
        { id: subscriptionId },
      );
      const resumesAt = `${year}-${month}-${day}T00:00:00.000Z`;
      expect(subscription).toEqual({ status: 'paused', resumesAt, nextInvoiceAt: resumesAt });
    },
  ],
  [
    'by keyboard: writes a note about a customer, changes it and deletes it',
    { role: 'support' },
    async (walk) => {
      const { stage, open, arrive, see, page } = walk;
      const { press, write } = useKeyboard(walk);
      const { id } = await stage.shop.customer({ firstName: 'Nora', lastName: 'Noted' });
      await open(`/customers/${id}`);
      await arrive('Nora Noted');
      await write(/^New note/, 'Called about the invoice\nand was content');
      await press(/^Add the note$/);
      await see('The note was saved');
      const note = page.locator('.note-text');
      await note.waitFor();
      expect(await note.innerText()).toBe('Called about the invoice\nand was content');
      const { height } = (await note.boundingBox())!;
      expect(height, 'two lines').toBeGreaterThan(30);
      await press(/^Edit$/);
      await page.getByRole('dialog').waitFor();
      await write(/^Note/, 'Is content');
      await press(/^Save the note$/);
      await page.getByText('Is content', { exact: true }).waitFor();
      await press(/^Delete$/);
      await page.getByRole('dialog').waitFor();
      await press(/^Delete$/);
      await see('The note was deleted');
      await note.waitFor({ state: 'detached' });
    },
  ],
  [
    'by keyboard: makes a product, is refused, corrects the amount',
    {},
    async (walk) => {
      const { open, page, see, arrive } = walk;
      const { key, press, write } = useKeyboard(walk);
      await open('/catalog');
      await arrive('Catalogue');
      await press(/^New product$/);
      await page.getByRole('dialog').waitFor();
      await write(/^Name/, 'By keys');
      await write(/^Amount/, 'a lot');
      await key('Enter');
      await see(/^Amount: must be/);
      await write(/^Amount/, '1,290.00');
      await key('Enter');
      await arrive('By keys');
      await see('1,290.00');
    },
  ],
  [
    'by keyboard: moves the clock of a test tenant',
    {},
    async (walk) => {
      const { open, page, arrive, stage } = walk;
      const { press } = useKeyboard(walk);
      await open('/clock');
      await arrive('Test clock');
      const { tenant } = await stage.client.graphql('{ tenant { clock } }');
      await page.getByRole('button', { name: 'A day' }).waitFor();
      await press(/^A day$/);
      await press(/^Advance to .* …$/);
      await page.getByRole('dialog').waitFor();
      await press(/^Advance to/);
      await expect
        .poll(async () => (await stage.client.graphql('{ tenant { clock } }')).tenant.clock)
        .not.toBe(tenant.clock);
    },
  ],
  [
    'by keyboard: opens the documents behind a figure of the tax report',
    {},
    async (walk) => {
      const { stage, open, page, see } = walk;
      const { press, reach, key } = useKeyboard(walk);
      const seller = '{ legalName: "Walks GmbH", address: { country: "DE" } }';
      await stage.client.graphql(`mutation { updateTenant(input: { seller: ${seller} }) { alias } }`);
      await sell(stage);
      await open('/reports?tab=tax');
      await page.getByRole('table').first().waitFor();
      await reach(/^[\d,.]+\s+EUR$/);
      await key('Enter');
      await page.waitForURL('**/reports/tax?**');
      await see(/INV-/);
      await press(/^Export CSV$/);
      await page.getByRole('dialog').waitFor();
      const [download] = await Promise.all([page.waitForEvent('download'), press(/^Export CSV$/)]);
      expect(download.suggestedFilename()).toMatch(/\.csv$/);
    },
  ],
];

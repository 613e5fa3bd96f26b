import { hasOwnCoupon } from '../../billing/subscriptions/intents/intentCode.ts';
import type { IntentRow } from '../../billing/subscriptions/intents/intents.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { html, type Html } from '../../lib/html.ts';
import type { PayTranslator } from './texts.ts';

/** The promotion code of a page: the applied one, or a field to enter one. */
export interface CodeField {
  /** The code that the payment redeems; null for an empty field. */
  applied: string | null;
}

/** Returns the field for a promotion code; undefined if there is no code that a payer could enter. */
export async function findCodeField(
  { read, record }: TenantScope,
  intent: IntentRow,
): Promise<CodeField | undefined> {
  const { promotionCodeId } = intent;
  if (record.discountsSince === null || hasOwnCoupon(intent)) return undefined;
  if (promotionCodeId !== null) {
    return { applied: (await read.one('promotionCodes', { id: promotionCodeId }))!.code };
  }
  const [active] = await read.many('promotionCodes', { where: { activeCode: { isSet: true } }, limit: 1 });
  return active && { applied: null };
}

/** Renders the form of the field. */
export function renderCodeForm(
  { say }: PayTranslator,
  path: string,
  token: Html,
  { applied }: CodeField,
): Html {
  if (applied !== null) {
    const code = html`<strong><bdi>${applied}</bdi></strong>`;
    return html`<form class="code applied" method="post" action="${path}/code">
      ${token}
      <p>${say('codeApplied', { code })}</p>
      <button class="quiet" name="remove" value="yes">${say('removeCode')}</button>
    </form> `;
  }
  return html`<form class="code" method="post" action="${path}/code">
    ${token}
    <label for="code">${say('code')}</label>
    <div>
      <input
        id="code"
        name="code"
        maxlength="64"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        dir="auto"
        required
      />
      <button class="second">${say('apply')}</button>
    </div>
  </form> `;
}

import { numberOrNull, orNull } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { BrandPreview } from './BrandPreview.tsx';
import type { Settings } from './query.ts';
import { readDays, SettingsForm } from './SettingsForm.tsx';
import { policyTexts } from './policyTexts.ts';
import { texts } from './texts.ts';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

/** The name of the tenant, and the seller as documents name it. */
export function Business({ settings, onSaved }: PartProps) {
  const t = useTexts(texts);
  const { name, seller } = settings;
  const address = seller?.address;
  const taxId = seller?.taxIds[0];
  return (
    <>
      <SettingsForm
        title={t.tenant}
        initial={{ name }}
        fields={[{ name: 'name', label: t.tenantName }]}
        toInput={(values) => values}
        onSaved={onSaved}
      />
      <SettingsForm
        title={t.seller}
        initial={{
          legalName: seller?.legalName ?? '',
          line1: address?.line1 ?? '',
          postalCode: address?.postalCode ?? '',
          city: address?.city ?? '',
          region: address?.region ?? '',
          country: address?.country ?? '',
          taxId: taxId?.value ?? '',
          registration: seller?.registration ?? '',
          footer: seller?.footer ?? '',
        }}
        fields={[
          { name: 'legalName', label: t.legalName },
          { name: 'line1', label: t.line1 },
          { name: 'postalCode', label: t.postalCode },
          { name: 'city', label: t.city },
          { name: 'region', label: t.region },
          { name: 'country', label: t.country, hint: t.countryHint },
          { name: 'taxId', label: t.taxId, path: 'value' },
          { name: 'registration', label: t.registration },
          { name: 'footer', label: t.footer, kind: 'area' },
        ]}
        toInput={(values) => ({
          seller: {
            legalName: values.legalName,
            registration: orNull(values.registration),
            footer: orNull(values.footer),
            address: orNull(values.country)
              ? {
                  country: values.country,
                  line1: orNull(values.line1),
                  line2: address?.line2 ?? null,
                  postalCode: orNull(values.postalCode),
                  city: orNull(values.city),
                  region: orNull(values.region),
                }
              : null,
            taxIds: [
              ...(orNull(values.taxId)
                ? [{ type: taxId?.type ?? ('eu_vat' as const), value: values.taxId }]
                : []),
              ...(seller?.taxIds.slice(1).map(({ type, value }) => ({ type, value })) ?? []),
            ],
          },
        })}
        onSaved={onSaved}
      />
    </>
  );
}

/** How pages and mails for customers look. */
export function Branding({ settings: { branding, name }, onSaved }: PartProps) {
  const t = useTexts(texts);
  return (
    <SettingsForm
      title={t.branding}
      initial={{
        displayName: branding?.displayName ?? '',
        color: branding?.color ?? '',
        supportEmail: branding?.supportEmail ?? '',
        supportUrl: branding?.supportUrl ?? '',
        termsUrl: branding?.termsUrl ?? '',
        privacyUrl: branding?.privacyUrl ?? '',
      }}
      fields={[
        { name: 'displayName', label: t.displayName, hint: t.displayNameHint },
        { name: 'color', label: t.color, hint: t.colorHint },
        { name: 'supportEmail', label: t.supportEmail, kind: 'email' },
        { name: 'supportUrl', label: t.supportUrl, kind: 'url' },
        { name: 'termsUrl', label: t.termsUrl, kind: 'url' },
        { name: 'privacyUrl', label: t.privacyUrl, kind: 'url' },
      ]}
      toInput={(values) => ({
        branding: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, orNull(value)])),
      })}
      preview={({ color, displayName }) => <BrandPreview color={color} name={displayName || name} />}
      onSaved={onSaved}
    />
  );
}

/** What happens when a charge fails. */
export function Dunning({ settings: { retryDays, dunning }, onSaved }: PartProps) {
  const t = useTexts(policyTexts);
  return (
    <SettingsForm
      title={t.dunning}
      initial={{
        retryDays: retryDays.join(', '),
        mailDays: dunning.mailDays.join(', '),
        accessGraceDays: String(dunning.accessGraceDays ?? ''),
        finalAction: dunning.finalAction,
      }}
      fields={[
        { name: 'retryDays', label: t.retryDays, hint: t.daysHint },
        { name: 'mailDays', label: t.mailDays, hint: t.daysHint },
        { name: 'accessGraceDays', label: t.accessGraceDays, hint: t.accessGraceHint, kind: 'number' },
        {
          name: 'finalAction',
          label: t.finalAction,
          choices: (['cancel', 'pause', 'leave'] as const).map((value) => ({ value, label: t[value] })),
        },
      ]}
      toInput={(values) => ({
        retryDays: readDays(values.retryDays),
        dunning: {
          mailDays: readDays(values.mailDays),
          accessGraceDays: numberOrNull(values.accessGraceDays),
          finalAction: values.finalAction,
        },
      })}
      onSaved={onSaved}
    />
  );
}

const switches = [
  'enabled',
  'signInByCode',
  'invoices',
  'balance',
  'paymentMethods',
  'details',
  'planChange',
  'quantityChange',
  'addOns',
  'pause',
  'promotionCodes',
  'cancellationReasons',
] as const;

/** What customers can do themselves. */
export function Portal({ settings: { portal }, onSaved }: PartProps) {
  const t = useTexts(policyTexts);
  const { productIds, retentionCouponId, headline, returnUrl, cancellation } = portal;
  const switched = Object.fromEntries(switches.map((name) => [name, portal[name]])) as Record<
    (typeof switches)[number],
    boolean
  >;
  return (
    <SettingsForm
      title={t.portal}
      initial={{ ...switched, cancellation, headline: headline ?? '', returnUrl: returnUrl ?? '' }}
      fields={[
        ...switches.map((name) => ({ name, label: t[name], kind: 'check' as const })),
        {
          name: 'cancellation',
          label: t.cancellation,
          choices: (['period_end', 'now', 'both', 'off'] as const).map((value) => ({
            value,
            label: t[value],
          })),
        },
        { name: 'headline', label: t.headline },
        { name: 'returnUrl', label: t.returnUrl, kind: 'url' },
      ]}
      toInput={(values) => ({
        portal: {
          ...values,
          headline: orNull(values.headline),
          returnUrl: orNull(values.returnUrl),
          productIds,
          retentionCouponId,
        },
      })}
      onSaved={onSaved}
    />
  );
}

const changes = ['planUpgrade', 'planDowngrade', 'increase', 'decrease'] as const;
const billings = ['charge_now', 'next_invoice', 'period_end', 'reset', 'none'] as const;

/** How changes and trials are billed, and when invoices are final. */
export function Policies({ settings, onSaved }: PartProps) {
  const t = useTexts(policyTexts);
  const { changePolicy, trialEndWithoutMethod, invoiceGraceHours, paymentTermsDays, vatIdCheck } = settings;
  const choices = billings.map((value) => ({ value, label: t[value] }));
  return (
    <SettingsForm
      title={t.policies}
      initial={{
        ...changePolicy,
        trialEndWithoutMethod,
        invoiceGraceHours: String(invoiceGraceHours),
        paymentTermsDays: String(paymentTermsDays),
        vatIdCheck: vatIdCheck ?? ('' as const),
      }}
      fields={[
        ...changes.map((name) => ({ name, label: t[name], choices })),
        {
          name: 'trialEndWithoutMethod',
          label: t.trialEndWithoutMethod,
          choices: (['cancel', 'pause'] as const).map((value) => ({ value, label: t[value] })),
        },
        { name: 'invoiceGraceHours', label: t.invoiceGraceHours, hint: t.graceHint, kind: 'number' },
        { name: 'paymentTermsDays', label: t.paymentTermsDays, kind: 'number' },
        {
          name: 'vatIdCheck',
          label: t.vatIdCheck,
          choices: [
            { value: '', label: t.noCheck },
            { value: 'rate', label: t.checkRate },
            { value: 'draft', label: t.checkDraft },
          ],
        },
      ]}
      toInput={({ planUpgrade, planDowngrade, increase, decrease, ...values }) => ({
        changePolicy: { planUpgrade, planDowngrade, increase, decrease },
        trialEndWithoutMethod: values.trialEndWithoutMethod,
        invoiceGraceHours: numberOrNull(values.invoiceGraceHours),
        paymentTermsDays: numberOrNull(values.paymentTermsDays),
        vatIdCheck: values.vatIdCheck === '' ? null : values.vatIdCheck,
      })}
      onSaved={onSaved}
    />
  );
}

/** The sender of mails to customers. */
export function Mail({ settings: { mail }, onSaved }: PartProps) {
  const t = useTexts(policyTexts);
  return (
    <SettingsForm
      title={t.mail}
      initial={{
        fromName: mail.fromName ?? '',
        replyTo: mail.replyTo ?? '',
        testRecipient: mail.testRecipient ?? '',
        renewalNoticeDays: String(mail.renewalNoticeDays),
      }}
      fields={[
        { name: 'fromName', label: t.fromName },
        { name: 'replyTo', label: t.replyTo, kind: 'email' },
        { name: 'testRecipient', label: t.testRecipient, hint: t.testRecipientHint, kind: 'email' },
        { name: 'renewalNoticeDays', label: t.renewalNoticeDays, kind: 'number' },
      ]}
      toInput={(values) => ({
        mail: {
          fromName: orNull(values.fromName),
          replyTo: orNull(values.replyTo),
          testRecipient: orNull(values.testRecipient),
          renewalNoticeDays: numberOrNull(values.renewalNoticeDays),
          disabledKinds: mail.disabledKinds,
        },
      })}
      onSaved={onSaved}
    />
  );
}

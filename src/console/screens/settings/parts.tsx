import { useCountries } from '../../billing/countries.ts';
import { useCurrencies } from '../../billing/currencies.ts';
import { useSession } from '../../data/session.tsx';
import { orNull } from '../../design/form.ts';
import { Facts } from '../../design/Page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { BrandPreview } from './BrandPreview.tsx';
import { AccessPoint } from './AccessPoint.tsx';
import { EInvoiceForm } from './EInvoiceForm.tsx';
import { ImageForm } from './ImageForm.tsx';
import { keepSeller } from './keepSeller.ts';
import type { Settings, TenantInput } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { texts, brandTexts } from './texts.ts';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

const taxIdTypes = ['eu_vat', 'gb_vat', 'ch_vat', 'no_vat', 'us_ein', 'other'] as const;

/** The name of the tenant, and the seller as documents name it. */
export function Business(props: PartProps) {
  const t = useTexts(texts);
  const b = useTexts(brandTexts);
  const { name, alias, timeZone } = props.settings;
  const defaultCurrency = props.settings.defaultCurrency ?? '';
  const currencies = useCurrencies(defaultCurrency);
  const { refresh } = useSession();
  return (
    <>
      <SettingsForm
        title={t.tenant}
        initial={{ name, defaultCurrency }}
        fields={[
          { name: 'name', label: t.tenantName, required: true },
          {
            name: 'defaultCurrency',
            label: b.defaultCurrency,
            hint: b.defaultCurrencyHint,
            choices: [{ value: '', label: '–' }, ...currencies],
          },
        ]}
        toInput={(values) => ({ name: values.name, defaultCurrency: orNull(values.defaultCurrency) })}
        onSaved={() => {
          props.onSaved();
          // The session has the name and the currency, too.
          refresh();
        }}
      />
      <Facts
        facts={[
          [b.alias, <code dir="ltr">{alias}</code>],
          [b.timezone, <span dir="ltr">{timeZone}</span>],
        ]}
      />
      <SellerForm {...props} />
      <EInvoiceForm {...props} />
      <AccessPoint {...props} />
    </>
  );
}

function SellerForm({ settings: { seller }, onSaved }: PartProps) {
  const t = useTexts(texts);
  const b = useTexts(brandTexts);
  const address = seller?.address;
  const countries = useCountries(address?.country ?? '');
  const taxId = seller?.taxIds[0];
  return (
    <SettingsForm
      title={t.seller}
      initial={{
        legalName: seller?.legalName ?? '',
        line1: address?.line1 ?? '',
        line2: address?.line2 ?? '',
        postalCode: address?.postalCode ?? '',
        city: address?.city ?? '',
        region: address?.region ?? '',
        country: address?.country ?? '',
        taxIdType: taxId?.type ?? ('eu_vat' as const),
        taxId: taxId?.value ?? '',
        registration: seller?.registration ?? '',
        footer: seller?.footer ?? '',
        chargesNoTax: seller?.chargesNoTax ?? false,
      }}
      fields={[
        { name: 'legalName', label: t.legalName, required: true },
        { name: 'line1', label: t.line1 },
        { name: 'line2', label: b.line2 },
        { name: 'postalCode', label: t.postalCode },
        { name: 'city', label: t.city },
        { name: 'region', label: t.region },
        { name: 'country', label: t.country, choices: countries },
        {
          name: 'taxIdType',
          label: b.taxIdType,
          choices: taxIdTypes.map((value) => ({ value, label: b[value] })),
        },
        { name: 'taxId', label: t.taxId, path: 'value' },
        { name: 'registration', label: t.registration },
        { name: 'footer', label: t.footer, kind: 'area' },
        { name: 'chargesNoTax', label: b.chargesNoTax, hint: b.chargesNoTaxHint, kind: 'check' },
      ]}
      toInput={(values) => ({
        seller: {
          ...(seller && keepSeller(seller)),
          legalName: values.legalName,
          registration: orNull(values.registration),
          footer: orNull(values.footer),
          chargesNoTax: values.chargesNoTax,
          address: orNull(values.country)
            ? {
                country: values.country,
                line1: orNull(values.line1),
                line2: orNull(values.line2),
                postalCode: orNull(values.postalCode),
                city: orNull(values.city),
                region: orNull(values.region),
              }
            : null,
          taxIds: [
            ...(orNull(values.taxId) ? [{ type: values.taxIdType, value: values.taxId }] : []),
            ...(seller?.taxIds.slice(1).map(({ type, value }) => ({ type, value })) ?? []),
          ],
        },
      })}
      onSaved={onSaved}
    />
  );
}

/** How pages and mails for customers look. */
export function Branding(props: PartProps) {
  return (
    <>
      <Looks {...props} />
      <Images {...props} />
    </>
  );
}

function Looks({ settings: { branding, name }, onSaved }: PartProps) {
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
        { name: 'supportEmail', label: t.supportEmail, kind: 'email' },
        { name: 'supportUrl', label: t.supportUrl, kind: 'url' },
        { name: 'termsUrl', label: t.termsUrl, kind: 'url' },
        { name: 'privacyUrl', label: t.privacyUrl, kind: 'url' },
        { name: 'color', label: t.color, hint: t.colorHint },
      ]}
      toInput={(values) => ({
        branding: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, orNull(value)])),
      })}
      preview={({ color, displayName }) => <BrandPreview color={color} name={displayName || name} />}
      onSaved={onSaved}
    />
  );
}

function Images({ settings: { alias, branding, seller }, onSaved }: PartProps) {
  const t = useTexts(brandTexts);
  const getSource = (id: string | null | undefined) => (id ? `/pages/images/${alias}/${id}` : null);
  return (
    <>
      <ImageForm
        title={t.logo}
        hint={t.logoHint}
        source={getSource(seller?.logoId)}
        types={['image/png', 'image/jpeg']}
        refused={seller ? undefined : t.sellerFirst}
        toInput={(logo) => ({ seller: seller && { ...keepSeller(seller), logo } })}
        onSaved={onSaved}
      />
      <ImageForm
        title={t.icon}
        hint={t.iconHint}
        source={getSource(branding?.faviconId)}
        types={['image/png']}
        toInput={(favicon) => ({ branding: { ...keepLooks(branding), favicon } })}
        onSaved={onSaved}
      />
    </>
  );
}

function keepLooks(branding: Settings['branding']): NonNullable<TenantInput['branding']> {
  if (!branding) return {};
  const { faviconId: _, ...looks } = branding;
  return looks;
}

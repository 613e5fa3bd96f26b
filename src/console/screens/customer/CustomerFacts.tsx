import { LocationPieces } from '../../billing/LocationEvidence.tsx';
import { texts as billingTexts } from '../../billing/texts.ts';
import { MetadataFacts } from '../../billing/Metadata.tsx';
import { Facts, Figure } from '../../design/Page.tsx';
import { Id, MoneyList, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameMethod } from '../../texts/names.ts';
import type { CustomerData } from './query.ts';
import { detailNames, detailTexts } from './details.ts';
import { personTexts, texts } from './texts.ts';
import { VatIdCheck } from './parts.tsx';

interface CustomerFactsProps {
  customer: CustomerData;
  onDone: () => void;
}

/** The column beside a customer: the balance, the ways to reach and to charge them. */
export function CustomerFacts({ customer, onDone }: CustomerFactsProps) {
  const t = useTexts(texts);
  const person = useTexts(personTexts);
  const format = useFormat();
  const { location } = useTexts(billingTexts);
  // The address is shown in full.
  const seen = customer.locationEvidence.filter(({ kind }) => kind !== 'billing_address');
  const { address, taxIds, defaultPaymentMethod: method } = customer;
  const lines = address && [
    address.line1,
    address.line2,
    [address.postalCode, address.city].filter(Boolean).join(' '),
    address.region,
    format.country(address.country),
  ];
  return (
    <>
      <Figure name={t.balance}>
        <MoneyList amounts={customer.balance} />
      </Figure>
      <Facts
        facts={[
          [t.email, <a href={`mailto:${customer.email}`}>{customer.email}</a>],
          [t.paymentMethod, method ? describeMethod(method, t.expired) : undefined],
          [
            t.address,
            lines?.filter(Boolean).map((line) => (
              <div key={line} dir="auto">
                {line}
              </div>
            )),
          ],
          [
            t.taxIds,
            taxIds.length > 0 ? (
              <>
                {taxIds.map(({ value }) => value).join(', ')}
                <VatIdCheck customer={customer} onDone={onDone} />
              </>
            ) : undefined,
          ],
          [t.taxExempt, customer.taxExempt ? t.yes : undefined],
          [location.title, seen.length > 0 ? <LocationPieces pieces={seen} /> : undefined],
          ...detailNames.map((name): [string, string | undefined] => [
            person[detailTexts[name].name],
            customer[name] ?? undefined,
          ]),
          [t.associatedId, <Id id={customer.associatedId} />],
          [t.id, <Id id={customer.id} />],
          [t.created, <When at={customer.createdAt} />],
        ]}
      />
      <MetadataFacts of="customer" record={customer} />
    </>
  );
}

function describeMethod(method: NonNullable<CustomerData['defaultPaymentMethod']>, expired: string): string {
  const { expiryMonth, expiryYear, isExpired } = method;
  const expiry =
    expiryMonth && expiryYear ? `${String(expiryMonth).padStart(2, '0')}/${expiryYear % 100}` : '';
  return [nameMethod(method), expiry, isExpired ? expired : ''].filter(Boolean).join(', ');
}

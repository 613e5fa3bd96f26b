import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { ProductFeatures } from '../../billing/features/ProductFeatures.tsx';
import { MetadataFacts } from '../../billing/Metadata.tsx';
import { texts as billingTexts } from '../../billing/texts.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Columns, Facts, Page, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { Id, Money, Nothing, When } from '../../design/Values.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { usePriceWords } from '../../texts/prices.ts';
import { EditProduct } from './EditProduct.tsx';
import { DeleteProduct, ProductQuery, type ProductData } from './query.ts';
import { texts } from './texts.ts';

/** One product: its prices, and what it belongs to. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const result = useScreenQuery(
    ProductQuery,
    { id },
    { types: ['ProductEvent', 'PriceEvent', 'GroupEvent'] },
  );
  const refusal = useRefusal('manage_catalog');
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const product = result.data?.product;
  const close = () => setOpen(undefined);
  return (
    <Page
      title={product?.name ?? t.product}
      parent={{ href: '/catalog', title: t.catalog }}
      badge={product && <Sale {...product} />}
      subtitle={product?.description && <bdi>{product.description}</bdi>}
      actions={
        product && (
          <>
            <Button look="quiet" refused={refusal} onClick={() => setOpen('delete')}>
              {t.remove}
            </Button>
            <Button refused={refusal} onClick={() => setOpen('edit')}>
              {t.edit}
            </Button>
          </>
        )
      }
      request={{ document: ProductQuery, variables: { id } }}
    >
      <Loaded result={result}>
        {({ product: found, groups }) =>
          found && (
            <>
              <Columns facts={<ProductFacts product={found} />}>
                <Prices product={found} />
                <ProductFeatures productId={id} />
              </Columns>
              {open === 'edit' && (
                <EditProduct product={found} groups={groups?.nodes ?? []} onClose={close} />
              )}
              {open === 'delete' && <Remove product={found} onClose={close} />}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Whether a product can be bought: it needs a price. */
function Sale({ active, prices }: Pick<ProductData, 'active' | 'prices'>) {
  const t = useTexts(texts);
  if (active && !prices.some((price) => price.active)) return <Status tone="waiting">{t.noPrices}</Status>;
  return <Status tone={active ? 'good' : 'neutral'}>{active ? t.active : t.inactive}</Status>;
}

function ProductFacts({ product }: { product: ProductData }) {
  const t = useTexts(texts);
  const { id, group, taxCode, lookupKey, kind, features, sortOrder, expiresAt, createdAt, updatedAt } =
    product;
  const page = useTexts(billingTexts);
  return (
    <>
      <Facts
        facts={[
          [t.id, <Id id={id} />],
          [page.lookupKey, lookupKey === null ? undefined : <Id id={lookupKey} />],
          [t.group, group?.name ?? <Nothing />],
          [page.productKind, kind === null ? undefined : page[kind]],
          [t.taxCode, taxCode ?? t.allTaxes],
          [page.features, features.length > 0 ? features.join(' · ') : undefined],
          [page.sortOrder, sortOrder === null ? undefined : String(sortOrder)],
          [t.expires, expiresAt ? <When at={expiresAt} as="time" /> : undefined],
          [t.created, <When at={createdAt} />],
          [t.changed, <When at={updatedAt} as="past" />],
        ]}
      />
      <MetadataFacts of="product" record={product} />
    </>
  );
}

function Prices({ product: { id, prices } }: { product: ProductData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const refusal = useRefusal('manage_catalog');
  const [, navigate] = useLocation();
  const { writeAmount, writeInterval, writeModel } = usePriceWords();
  const add = (
    <Button icon="plus" refused={refusal} onClick={() => navigate(`/catalog/${id}/prices/new`)}>
      {t.newPrice}
    </Button>
  );
  return (
    <Section title={t.prices} actions={prices.length > 0 && add}>
      {prices.length === 0 ? (
        <Empty title={t.noPrices} action={add}>
          {t.noPricesText}
        </Empty>
      ) : (
        <Table
          caption={t.prices}
          rows={prices}
          rowKey={(price) => price.id}
          columns={[
            {
              header: t.price,
              cell: (price) => (
                <>
                  <Link href={`/catalog/${id}/prices/${price.id}`}>
                    {price.nickname ?? writeAmount(price)}
                  </Link>{' '}
                  {!price.active && <Status tone="neutral">{t.archived}</Status>}
                </>
              ),
            },
            { header: t.model, cell: ({ model }) => writeModel(model) },
            { header: t.interval, cell: ({ recurring }) => writeInterval(recurring) },
            {
              header: t.trial,
              cell: ({ trialDays }) => (trialDays ? t.days(format.number(trialDays)) : <Nothing />),
            },
            { header: t.setupFee, align: 'end', cell: ({ setupFee }) => <Money amount={setupFee} /> },
            {
              header: t.amount,
              align: 'end',
              cell: (price) =>
                price.tiers.length + price.rates.length > 0 || price.percentage !== null ? (
                  writeAmount(price)
                ) : (
                  <Money amount={price.details} />
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}

function Remove({ product, onClose }: { product: ProductData; onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const action = useAction(DeleteProduct);
  const remove = async () => {
    if (!(await action.run({ id: product.id }))) return;
    toast(t.deletedToast(product.name));
    navigate('/catalog');
  };
  return (
    <ConfirmAction
      danger
      title={t.removeTitle(product.name)}
      label={t.remove}
      action={action}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
    </ConfirmAction>
  );
}

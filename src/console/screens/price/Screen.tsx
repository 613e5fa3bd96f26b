import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useDefaultCurrency } from '../../billing/currencies.ts';
import { texts as billingTexts } from '../../billing/texts.ts';
import { isDecimal, readDecimal, writeDecimal } from '../../texts/numbers.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Loaded, Note, WarningNotes } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { Facts, Page, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Id, Money, Nothing, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { usePriceWords } from '../../texts/prices.ts';
import { Calculator } from './Calculator.tsx';
import { NewPrice } from './NewPrice.tsx';
import { toInputAgain } from './priceForm.ts';
import {
  ArchivePrice,
  PriceQuery,
  ProductNameQuery,
  UnarchivePrice,
  UpdatePrice,
  type PriceData,
} from './query.ts';
import { texts } from './texts.ts';
import { UsageTerms } from './UsageTerms.tsx';
import './price.css';

/** A price and what it costs by quantity, or with the id `new` the editor of a new one. */
export function Screen({ productId, id }: { productId: string; id: string }) {
  return id === 'new' ? <Editor productId={productId} /> : <Existing productId={productId} id={id} />;
}

function Editor({ productId }: { productId: string }) {
  const t = useTexts(texts);
  const standard = useDefaultCurrency();
  const result = useScreenQuery(ProductNameQuery, { id: productId });
  const product = result.data?.product;
  return (
    <Page title={t.newPrice} parent={{ href: `/catalog/${productId}`, title: product?.name ?? t.product }}>
      <Loaded result={result}>
        {({ product: found }) =>
          found && <NewPrice productId={found.id} currency={found.prices[0]?.details.currency ?? standard} />
        }
      </Loaded>
    </Page>
  );
}

function Existing({ productId, id }: { productId: string; id: string }) {
  const t = useTexts(texts);
  const variables = { id, productId };
  const result = useScreenQuery(PriceQuery, variables, { types: ['PriceEvent'] });
  const { writePrice } = usePriceWords();
  const refusal = useRefusal('manage_catalog');
  const [changing, setChanging] = useState(false);
  const [archiving, setArchiving] = useState(false);
  const price = result.data?.price;
  return (
    <Page
      title={price ? (price.nickname ?? writePrice(price)) : t.price}
      parent={{ href: `/catalog/${productId}`, title: price?.product?.name ?? t.product }}
      subtitle={price?.nickname ? writePrice(price) : undefined}
      badge={price?.active === false && <Status tone="neutral">{t.archived}</Status>}
      actions={
        price && (
          <>
            <Button look="quiet" refused={refusal} onClick={() => setArchiving(true)}>
              {price.active ? t.archive : t.unarchive}
            </Button>
            {price.tiers.length === 0 && price.rates.length === 0 && price.percentage === null && (
              <Button refused={refusal} onClick={() => setChanging(true)}>
                {t.change}
              </Button>
            )}
          </>
        )
      }
      request={{ document: PriceQuery, variables }}
    >
      <Loaded result={result}>
        {({ price: found }) =>
          found && (
            <div className="stack">
              <WarningNotes warnings={found.warnings} />
              <div className="price-editor">
                <div className="stack">
                  <Terms price={found} />
                  <UsageTerms price={found} />
                </div>
                <Calculator price={toInputAgain(found)} />
              </div>
            </div>
          )
        }
      </Loaded>
      {archiving && price && <Archive price={price} onClose={() => setArchiving(false)} />}
      {changing && price && <ChangeAmount price={price} onClose={() => setChanging(false)} />}
    </Page>
  );
}

function Terms({ price }: { price: PriceData }) {
  const t = useTexts(texts);
  const words = useTexts(billingTexts);
  const format = useFormat();
  const { writeModel, writeInterval } = usePriceWords();
  const { minQuantity, maxQuantity, trialDays, setupFee, packageSize, tiers } = price;
  const hasAmount = tiers.length === 0 && price.rates.length === 0 && price.percentage === null;
  const count = (value: number | null) => (value === null ? undefined : format.number(value));
  return (
    <Section title={t.terms}>
      <Facts
        facts={[
          [t.id, <Id id={price.id} />],
          [words.lookupKey, price.lookupKey === null ? undefined : <Id id={price.lookupKey} />],
          [t.model, writeModel(price.model)],
          [t.amount, hasAmount ? <Money amount={price.details} /> : undefined],
          [t.packageSize, count(packageSize)],
          [t.interval, writeInterval(price.recurring)],
          [t.trialDays, count(trialDays)],
          [t.setupFee, setupFee ? <Money amount={setupFee} /> : undefined],
          [t.minQuantity, count(minQuantity)],
          [t.maxQuantity, count(maxQuantity)],
          [t.tax, price.taxBehavior === 'inclusive' ? t.inclusive : t.exclusive],
          [t.created, <When at={price.createdAt} />],
        ]}
      />
      {tiers.length > 0 && (
        <Table
          caption={t.tiers}
          rows={tiers}
          rowKey={({ upTo }) => upTo ?? 'end'}
          columns={[
            {
              header: t.upTo,
              align: 'end',
              cell: ({ upTo }) => (upTo === null ? t.noEnd : format.number(Number(upTo))),
            },
            {
              header: t.unitAmount,
              align: 'end',
              cell: ({ unitAmount }) => (
                <Money amount={{ decimal: unitAmount, currency: price.details.currency }} />
              ),
            },
            {
              header: t.flatAmount,
              align: 'end',
              cell: ({ flatAmount }) =>
                flatAmount === '0' ? (
                  <Nothing />
                ) : (
                  <Money amount={{ decimal: flatAmount, currency: price.details.currency }} />
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}

/** Archives an active price, or lets an archived one be chosen again. */
function Archive({ price: { id, active }, onClose }: { price: PriceData; onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const archive = useAction(ArchivePrice);
  const unarchive = useAction(UnarchivePrice);
  const change = async () => {
    if (!(await (active ? archive.run({ id }) : unarchive.run({ id })))) return;
    toast(active ? t.archivedToast : t.unarchivedToast);
    onClose();
  };
  return (
    <ConfirmAction
      title={active ? t.archiveTitle : t.unarchive}
      label={active ? t.archive : t.unarchive}
      action={active ? archive : unarchive}
      onConfirm={() => void change()}
      onClose={onClose}
    >
      <p>{active ? t.archiveText : t.unarchivedToast}</p>
    </ConfirmAction>
  );
}

function ChangeAmount({ price, onClose }: { price: PriceData; onClose: () => void }) {
  const t = useTexts(texts);
  const words = useTexts(billingTexts);
  const toast = useToast();
  const format = useFormat();
  const { run, busy, problem } = useAction(UpdatePrice);
  const { values, bind } = useForm(
    { decimal: writeDecimal(price.details.decimal), lookupKey: price.lookupKey ?? '' },
    problem,
  );
  const { currency } = price.details;
  const decimal = readDecimal(values.decimal);
  const submit = async () => {
    if (!(await run({ id: price.id, input: { details: { decimal }, lookupKey: orNull(values.lookupKey) } })))
      return;
    toast(t.saved);
    onClose();
  };
  return (
    <FormDialog
      title={t.change}
      label={t.changeTo(isDecimal(decimal) ? format.money({ decimal, currency }) : '…')}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Note>{t.changeNote}</Note>
      <Field
        label={`${t.amount} (${currency.toUpperCase()})`}
        inputMode="decimal"
        required
        autoFocus
        {...bind('decimal', 'details')}
      />
      <Field label={words.lookupKey} hint={words.lookupKeyHint} maxLength={200} {...bind('lookupKey')} />
    </FormDialog>
  );
}

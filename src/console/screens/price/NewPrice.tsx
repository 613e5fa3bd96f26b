import { useLocation } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { texts as billingTexts } from '../../billing/texts.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Checkbox, Field, Select } from '../../design/Field.tsx';
import { useForm, type Form } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { PageForm } from '../../design/PageForm.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { priceTexts } from '../../texts/texts.ts';
import { Calculator } from './Calculator.tsx';
import { createValues, hasTiers, toInput, type PriceValues, type TierValues } from './priceForm.ts';
import { CreatePrice } from './query.ts';
import { texts } from './texts.ts';
import { MeterChoice, UsageFields } from './UsageFields.tsx';
import type { Problem } from '../../data/errors.ts';
import { Table } from '../../design/Table.tsx';
import { useFormat } from '../../texts/format.ts';
import { readDecimal } from '../../texts/numbers.ts';
import { frequencies } from '../../texts/prices.ts';
import { findRefusal } from '../../texts/problems.ts';

const models = ['flat', 'per_unit', 'package', 'graduated', 'volume'] as const;
const usageModels = ['per_unit', 'package', 'graduated', 'volume', 'percentage'] as const;

/** The form of a new price beside what it would cost. */
export function NewPrice({ productId, currency }: { productId: string; currency: string }) {
  const t = useTexts(texts);
  const words = useTexts(billingTexts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const refusal = useRefusal('manage_catalog');
  const { run, busy, problem } = useAction(CreatePrice);
  const form = useForm(createValues(currency), problem);
  const { values, bind, change } = form;
  const submit = async () => {
    const created = (await run({ productId, price: toInput(values) }))?.createPrices?.[0];
    if (!created) return;
    toast(t.createdToast);
    // The screen of the price shows its warnings.
    navigate(`/catalog/${productId}${created.warnings.length > 0 ? `/prices/${created.id}` : ''}`);
  };
  return (
    <div className="price-editor">
      <PageForm problem={problem} onSubmit={() => refusal === undefined && submit()}>
        <Section title={t.terms}>
          <div className="stack">
            <MeterChoice form={form} />
            <Amounts form={form} />
            {hasTiers(values.model) && (
              <Tiers tiers={values.tiers} problem={problem} onChange={(tiers) => change({ tiers })} />
            )}
            <UsageFields form={form} problem={problem} />
            <Interval form={form} />
          </div>
        </Section>
        <Section title={t.more}>
          <div className="stack">
            <Field label={t.nickname} hint={t.nicknameHint} {...bind('nickname')} />
            <Field
              label={words.lookupKey}
              hint={words.lookupKeyHint}
              maxLength={200}
              {...bind('lookupKey')}
            />
            <div className="price-pair">
              <Field label={t.trialDays} inputMode="numeric" {...bind('trialDays')} />
              <Field label={t.setupFee} inputMode="decimal" {...bind('setupFee')} />
            </div>
            {values.model !== 'flat' && values.meterId === '' && (
              <div className="price-pair">
                <Field label={t.minQuantity} inputMode="numeric" {...bind('minQuantity')} />
                <Field label={t.maxQuantity} inputMode="numeric" {...bind('maxQuantity')} />
              </div>
            )}
            <Checkbox label={t.inclusive} {...form.check('inclusive')} />
          </div>
        </Section>
        <div className="row">
          <Button type="submit" look="main" busy={busy} refused={refusal}>
            {t.create}
          </Button>
          <Button onClick={() => navigate(`/catalog/${productId}`)}>{t.cancel}</Button>
        </div>
      </PageForm>
      <Calculator price={toInput(values)} />
    </div>
  );
}

function Amounts({ form: { values, bind } }: { form: Form<PriceValues> }) {
  const t = useTexts(texts);
  const words = useTexts(priceTexts);
  const label = { flat: t.amount, per_unit: t.unitAmount, package: t.packageAmount };
  const { model } = values;
  const offered = values.meterId === '' ? models : usageModels;
  return (
    <>
      <Select
        label={t.model}
        hint={t[`${model}Hint`]}
        choices={offered.map((value) => ({ value, label: words[value] }))}
        {...bind('model')}
      />
      <div className="price-pair">
        {model !== 'graduated' && model !== 'volume' && model !== 'percentage' && (
          <Field
            label={label[model]}
            hint={t.majorUnitsHint}
            inputMode="decimal"
            required
            {...bind('decimal', 'details')}
          />
        )}
        <CurrencyField label={t.currency} {...bind('currency', 'details.currency')} />
        {model === 'package' && (
          <Field label={t.packageSize} inputMode="numeric" required {...bind('packageSize')} />
        )}
      </div>
    </>
  );
}

function Interval({ form: { bind } }: { form: Form<PriceValues> }) {
  const t = useTexts(texts);
  const words = useTexts(priceTexts);
  return (
    <div className="price-pair">
      <Field label={t.every} inputMode="numeric" required {...bind('period')} />
      <Select
        label={t.unit}
        choices={frequencies.map((value) => ({ value, label: words[value] }))}
        {...bind('frequency')}
      />
    </div>
  );
}

interface TiersProps {
  tiers: TierValues[];
  onChange: (tiers: TierValues[]) => void;
  problem: Problem | undefined;
}

/** The tiers of a price in a table. The last one has no end. */
function Tiers({ tiers, onChange, problem }: TiersProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const rows = tiers.map((tier, index) => ({ tier, index }));
  const put = (index: number, changes: Partial<TierValues>) =>
    onChange(tiers.map((tier, each) => (each === index ? { ...tier, ...changes } : tier)));
  const remove = (index: number) => {
    const left = tiers.filter((_, each) => each !== index);
    onChange(left.map((tier, each) => (each === left.length - 1 ? { ...tier, upTo: '' } : tier)));
  };
  const add = () => {
    const before = Number(readDecimal(tiers.at(-2)?.upTo ?? '')) || 10;
    const last = tiers.at(-1)!;
    onChange([...tiers.slice(0, -1), { ...last, upTo: String(before * 10) }, last]);
  };
  const buildCell = (name: keyof TierValues, label: string) => ({
    header: label,
    align: 'end' as const,
    cell: ({ tier, index }: { tier: TierValues; index: number }) =>
      name === 'upTo' && index === tiers.length - 1 ? (
        t.noEnd
      ) : (
        <Field
          compact
          label={`${label}, ${t.tier(format.number(index + 1))}`}
          inputMode="decimal"
          value={tier[name]}
          {...findRefusal(problem, `tiers.${index}.${name}`)}
          onChange={({ target }) => put(index, { [name]: target.value })}
        />
      ),
  });
  return (
    <div className="price-tiers stack">
      <Table
        caption={t.tiers}
        rows={rows}
        rowKey={({ index }) => String(index)}
        columns={[
          buildCell('upTo', t.upTo),
          buildCell('unitAmount', t.unitAmount),
          buildCell('flatAmount', t.flatAmount),
          {
            header: t.actions,
            align: 'end',
            cell: ({ index }) => (
              <Button
                look="quiet"
                icon="close"
                edits
                aria-label={t.removeTier(format.number(index + 1))}
                disabled={tiers.length === 1}
                onClick={() => remove(index)}
              />
            ),
          },
        ]}
      />
      <div>
        <Button icon="plus" edits onClick={add}>
          {t.addTier}
        </Button>
      </div>
    </div>
  );
}

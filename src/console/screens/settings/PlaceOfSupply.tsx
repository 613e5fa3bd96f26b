import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Select } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { PageForm } from '../../design/PageForm.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { SetPlaceOfSupply, type Settings } from './query.ts';
import { texts, taxTexts } from './texts.ts';

interface PlaceOfSupplyProps {
  settings: Settings;
  onSaved: () => void;
}

/** Where sales to private customers in other member states are taxed, and how near the threshold they are. */
export function PlaceOfSupply({ settings: { placeOfSupply, unionSales }, onSaved }: PlaceOfSupplyProps) {
  const t = useTexts(taxTexts);
  const common = useTexts(texts);
  const toast = useToast();
  const refusal = useRefusal('manage_settings');
  const { run, busy, problem } = useAction(SetPlaceOfSupply);
  const { values, bind } = useForm({ placeOfSupply: placeOfSupply ?? ('' as const) }, problem);
  const submit = async () => {
    const { placeOfSupply: chosen } = values;
    if (!(await run({ input: { placeOfSupply: chosen === '' ? null : chosen } }))) return;
    toast(common.saved);
    onSaved();
  };
  const choices = [
    { value: '', label: t.placeUncounted },
    { value: 'seller', label: t.placeSeller },
    { value: 'destination', label: t.placeDestination },
  ];
  return (
    <Section title={t.place}>
      {unionSales && <Sold sold={unionSales} />}
      <PageForm
        className="settings-form stack"
        problem={problem}
        onSubmit={() => refusal === undefined && submit()}
      >
        <p className="soft">{t.placeNote}</p>
        <Select label={t.placeLabel} choices={choices} {...bind('placeOfSupply')} />
        <div>
          <Button type="submit" look="main" busy={busy} refused={refusal}>
            {common.save}
          </Button>
        </div>
      </PageForm>
    </Section>
  );
}

const fewDays = 5;

const formatDays = (days: string[]): string =>
  [...days.slice(0, fewDays), ...(days.length > fewDays ? ['…'] : [])].join(', ');

function Sold({ sold }: { sold: NonNullable<Settings['unionSales']> }) {
  const t = useTexts(taxTexts);
  const format = useFormat();
  const { year, state, net, previousNet, threshold, otherCurrencies, withoutRate } = sold;
  const { destinationFrom, destinationUntil } = sold;
  const days = [...new Set(withoutRate.map(({ day }) => format.date(`${day}T12:00:00Z`)))];
  const others = otherCurrencies.map((amount) => format.money(amount)).join(', ');
  return (
    <>
      <p>
        {t.soldSoFar(String(year), format.money(net), format.money(threshold))}
        {'. '}
        {t.soldBefore(format.money(previousNet))}
      </p>
      {state === 'near' && <Note tone="late">{t.placeNear(format.money(threshold))}</Note>}
      {destinationFrom && destinationUntil && (
        <Note tone="late">
          {t.placeExceeded(format.date(destinationFrom), format.date(`${destinationUntil}T12:00:00Z`))}
        </Note>
      )}
      {others && <Note tone="late">{t.unconverted(others, formatDays(days))}</Note>}
    </>
  );
}

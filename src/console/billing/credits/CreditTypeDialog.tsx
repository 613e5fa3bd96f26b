import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
import { Field, FieldRow, Select } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal, writeDecimal } from '../../texts/numbers.ts';
import { findRefusal } from '../../texts/problems.ts';
import { CreateCreditType, UpdateCreditType, type CreditMeter, type CreditType } from './queries.ts';
import { typeTexts as texts } from './texts.ts';

interface CreditTypeDialogProps {
  /** Undefined for a new one. */
  type: CreditType | undefined;
  meters: readonly CreditMeter[];
  onClose: () => void;
  onDone: () => void;
}

interface RateValues {
  meterId: string;
  credits: string;
  units: string;
}

/** The dialog that creates or changes a credit type with its rates. */
export function CreditTypeDialog({ type, meters, onClose, onDone }: CreditTypeDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const create = useAction(CreateCreditType);
  const update = useAction(UpdateCreditType);
  const problem = create.problem ?? update.problem;
  const first = meters.find(({ archivedAt }) => archivedAt === null);
  const { values, bind, change } = useForm(toValues(type, first), problem);
  const submit = async () => {
    const rates = values.rates.map(({ meterId, credits, units }) => ({
      meterId,
      credits: readDecimal(credits),
      units: readDecimal(units),
    }));
    const input = { name: values.name, rates };
    if (!(await (type ? update.run({ id: type.id, input }) : create.run({ input })))) return;
    toast(type ? t.saved : t.createdToast(values.name));
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={type ? type.name : t.create}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button
            type="submit"
            look="main"
            busy={create.busy || update.busy}
            refused={first ? undefined : t.noMeters}
          >
            {type ? t.save : t.create}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {type && <Note>{t.ratesNote}</Note>}
      <Field label={t.name} hint={t.nameHint} required autoFocus {...bind('name')} />
      {first ? (
        <Rates
          rates={values.rates}
          meters={meters}
          problem={problem}
          onChange={(rates) => change({ rates })}
        />
      ) : (
        <p className="soft">{t.noMeters}</p>
      )}
    </Dialog>
  );
}

const toValues = (type: CreditType | undefined, meter: CreditMeter | undefined) => ({
  name: type?.name ?? '',
  rates: type
    ? type.rates.map(({ meterId, credits, units }): RateValues => ({
        meterId,
        credits: writeDecimal(credits),
        units: writeDecimal(units),
      }))
    : meter
      ? [newRate(meter.id)]
      : [],
});

const newRate = (meterId: string): RateValues => ({ meterId, credits: '', units: '1' });

interface RatesProps {
  rates: RateValues[];
  meters: readonly CreditMeter[];
  problem: Parameters<typeof findRefusal>[0];
  onChange: (rates: RateValues[]) => void;
}

/** The rates, one for each meter. */
function Rates({ rates, meters, problem, onChange }: RatesProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const used = new Set(rates.map(({ meterId }) => meterId));
  const free = meters.filter(({ id, archivedAt }) => archivedAt === null && !used.has(id));
  return (
    <>
      {rates.map((rate, index) => {
        const number = format.number(index + 1);
        const put = (changes: Partial<RateValues>) => onChange(rates.with(index, { ...rate, ...changes }));
        const choices = meters.filter(({ id }) => id === rate.meterId || free.some((each) => each.id === id));
        return (
          <div key={index} role="group" aria-label={t.rateOf(number)} className="stack">
            <div className="row">
              <strong>{t.rateOf(number)}</strong>
              {rates.length > 1 && (
                <Button
                  look="quiet"
                  icon="close"
                  edits
                  aria-label={t.removeRate(number)}
                  onClick={() => onChange(rates.toSpliced(index, 1))}
                />
              )}
            </div>
            <Select
              label={t.meter}
              value={rate.meterId}
              choices={choices.map(({ id, name }) => ({ value: id, label: name }))}
              {...findRefusal(problem, `rates.${index}.meterId`)}
              onChange={({ target }) => put({ meterId: target.value })}
            />
            <FieldRow>
              <Field
                label={t.credits}
                inputMode="decimal"
                required
                value={rate.credits}
                {...findRefusal(problem, `rates.${index}.credits`)}
                onChange={({ target }) => put({ credits: target.value })}
              />
              <Field
                label={t.units}
                inputMode="decimal"
                required
                value={rate.units}
                {...findRefusal(problem, `rates.${index}.units`)}
                onChange={({ target }) => put({ units: target.value })}
              />
            </FieldRow>
          </div>
        );
      })}
      {free.length > 0 && (
        <div>
          <Button icon="plus" edits onClick={() => onChange([...rates, newRate(free[0]!.id)])}>
            {t.addRate}
          </Button>
        </div>
      )}
    </>
  );
}

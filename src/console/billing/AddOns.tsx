import { Button } from '../design/Button.tsx';
import { Field, Select } from '../design/Field.tsx';
import { useTexts } from '../texts/language.tsx';
import type { PriceChoice } from './prices.ts';
import { texts } from './texts.ts';

/** An add-on in the form. */
export interface AddOnChoice {
  priceId: string;
  quantity: string;
  productName: string;
}

interface AddOnsProps {
  choices: PriceChoice[];
  addOns: AddOnChoice[];
  onChange: (addOns: AddOnChoice[]) => void;
}

/** The add-ons with their quantities; others can be added. */
export function AddOns({ choices, addOns, onChange }: AddOnsProps) {
  const t = useTexts(texts);
  const free = choices.filter(({ id }) => !addOns.some(({ priceId }) => priceId === id));
  const add = (id: string) => {
    const choice = free.find((each) => each.id === id);
    if (choice) onChange([...addOns, { priceId: id, quantity: '1', productName: choice.label }]);
  };
  return (
    <>
      {addOns.map((addOn, index) => (
        <div key={addOn.priceId} className="add-on">
          <Field
            label={t.quantityOf(addOn.productName)}
            type="number"
            min={1}
            value={addOn.quantity}
            onChange={({ target }) => onChange(addOns.with(index, { ...addOn, quantity: target.value }))}
          />
          <Button look="quiet" onClick={() => onChange(addOns.toSpliced(index, 1))}>
            {t.remove}
          </Button>
        </div>
      ))}
      {free.length > 0 && (
        <Select
          label={t.addAddOn}
          value=""
          choices={[{ value: '', label: '–' }, ...free.map(({ id, label }) => ({ value: id, label }))]}
          onChange={({ target }) => add(target.value)}
        />
      )}
    </>
  );
}

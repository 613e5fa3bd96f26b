import type { Problem } from '../data/errors.ts';
import { Button } from '../design/Button.tsx';
import type { FindChoices } from '../design/choices.ts';
import { Combobox } from '../design/Combobox.tsx';
import { Field } from '../design/Field.tsx';
import { useTexts } from '../texts/language.tsx';
import { findRefusal } from '../texts/problems.ts';
import type { PriceToChoose } from './prices.ts';
import { texts } from './texts.ts';

/** An add-on in the form. */
export interface AddOnChoice {
  priceId: string;
  quantity: string;
  productName: string;
}

interface AddOnsProps {
  find: FindChoices<PriceToChoose>;
  /** Whether a price can be added. */
  allows: (price: PriceToChoose) => boolean;
  addOns: AddOnChoice[];
  problem: Problem | undefined;
  onChange: (addOns: AddOnChoice[]) => void;
}

/** The add-ons with their quantities; others can be added. */
export function AddOns({ find, allows, addOns, problem, onChange }: AddOnsProps) {
  const t = useTexts(texts);
  const isFree = (price: PriceToChoose) =>
    allows(price) && !addOns.some(({ priceId }) => priceId === price.value);
  const add = ({ value, label }: PriceToChoose) =>
    onChange([...addOns, { priceId: value, quantity: '1', productName: label }]);
  return (
    <>
      {addOns.map((addOn, index) => (
        <div key={addOn.priceId} className="add-on">
          <Field
            label={t.quantityOf(addOn.productName)}
            inputMode="numeric"
            required
            value={addOn.quantity}
            {...findRefusal(problem, `addOns.${index}.quantity`)}
            onChange={({ target }) => onChange(addOns.with(index, { ...addOn, quantity: target.value }))}
          />
          <Button look="quiet" edits onClick={() => onChange(addOns.toSpliced(index, 1))}>
            {t.remove}
          </Button>
        </div>
      ))}
      <Combobox
        label={t.addAddOn}
        placeholder="–"
        find={async (text) => {
          const { choices, hasMore } = await find(text);
          return { choices: choices.filter(isFree), hasMore };
        }}
        chosen={undefined}
        onChange={(choice) => choice && add(choice)}
      />
    </>
  );
}

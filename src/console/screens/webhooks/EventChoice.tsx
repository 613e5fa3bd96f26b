import { texts as eventTexts } from '../../events/texts.ts';
import { Checkbox } from '../../design/Field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';
import './webhooks.css';

type EventType = keyof (typeof eventTexts)['en']['sentences'];

const types = Object.keys(eventTexts.en.sentences) as EventType[];
const kinds = [...new Set(types.map((type) => type.split('.')[0]!))];

interface EventChoiceProps {
  /** The names of events, and of kinds of events for all of a kind. */
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** Picks the events of a webhook endpoint: whole kinds, or some of a kind. Nothing picked means all. */
export function EventChoice({ chosen, onChange }: EventChoiceProps) {
  const t = useTexts(texts);
  const { sentences } = useTexts(eventTexts);
  const toggle = (name: string) => {
    const isKind = !name.includes('.');
    const kept = chosen.filter((each) => each !== name && !(isKind && each.startsWith(`${name}.`)));
    onChange(chosen.includes(name) ? kept : [...kept, name]);
  };
  return (
    <fieldset className="event-choice">
      <legend className="field-label">{t.events}</legend>
      <small className="soft">{chosen.length === 0 ? t.eventsHint : t.eventsChosen(chosen.join(', '))}</small>
      {kinds.map((kind) => (
        <details key={kind}>
          <summary dir="ltr">{kind}</summary>
          <Checkbox label={t.allOfKind} checked={chosen.includes(kind)} onChange={() => toggle(kind)} />
          {!chosen.includes(kind) &&
            types
              .filter((type) => type.startsWith(`${kind}.`))
              .map((type) => (
                <Checkbox
                  key={type}
                  label={type.slice(kind.length + 1)}
                  hint={sentences[type].replaceAll('{}', '…')}
                  checked={chosen.includes(type)}
                  onChange={() => toggle(type)}
                />
              ))}
        </details>
      ))}
    </fieldset>
  );
}

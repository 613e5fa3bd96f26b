import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { useTexts } from '../texts/language.tsx';
import { useChoices, type FindChoices } from './choices.ts';
import { useFrame, type Choice, type FrameProps } from './Field.tsx';
import { useScope } from './formScope.ts';
import { Icon } from './Icon.tsx';
import { texts } from './texts.ts';
import './Combobox.css';

interface ComboboxProps<C extends Choice> extends FrameProps {
  find: FindChoices<C>;
  /** The choice that is made, shown by its label. */
  chosen: C | undefined;
  onChange: (choice: C | undefined) => void;
  /** Names the choice of nothing; without it something must be chosen. */
  none?: string;
  placeholder?: string;
  required?: boolean;
  autoFocus?: boolean;
}

/**
 * An input that searches on the server and offers the matches, by the combobox pattern of ARIA. `cmdk` does not serve
 * here: its input always says that it is expanded, the first match is chosen as soon as the list opens, and
 * `aria-selected` marks the match that Enter takes instead of the choice that was made.
 */
export function Combobox<C extends Choice>(props: ComboboxProps<C>) {
  const { label, chosen, none, placeholder, required, autoFocus } = props;
  const { wrap, attributes } = useFrame(props);
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const { options, active, isOpen, typed, note, open, type, point, close, choose, onKeyDown } =
    useCombobox(props);
  const idOf = (index: number) => `${listId}-${index}`;
  const shown = typed ?? chosen?.label ?? none ?? '';
  useLayoutEffect(() => {
    // A label that arrives after the focus drops the selection, and what is typed next would be added to it.
    if (typed === undefined && document.activeElement === field.current) field.current?.select();
  }, [shown, typed]);
  return wrap(
    <div className="combobox-frame">
      <input
        ref={field}
        className="input combobox"
        type="text"
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen && active >= 0 ? idOf(active) : undefined}
        aria-required={required}
        autoFocus={autoFocus}
        placeholder={placeholder}
        value={shown}
        onChange={({ target }) => type(target.value)}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onClick={({ currentTarget }) => {
          if (isOpen) return;
          currentTarget.select();
          open();
        }}
        onBlur={close}
        onKeyDown={onKeyDown}
        {...attributes}
      />
      <Icon name="down" />
      {isOpen && (
        <Popup field={field} note={note}>
          <div id={listId} role="listbox" aria-label={label} className="combobox-list">
            {options.map((option, index) => (
              <Option
                key={option.value}
                id={idOf(index)}
                active={index === active}
                selected={option.value === (chosen?.value ?? '')}
                onPoint={() => point(index)}
                onChoose={() => choose(option)}
              >
                {option.label}
              </Option>
            ))}
          </div>
        </Popup>
      )}
    </div>,
  );
}

/** The state of a combobox: the typed text, undefined until somebody types, and the option that Enter chooses. */
function useCombobox<C extends Choice>({ find, none, onChange }: ComboboxProps<C>) {
  const t = useTexts(texts);
  const scope = useScope();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<string>();
  const [moved, setMoved] = useState<number>();
  const { choices, hasMore, searching, failed } = useChoices(find, typed ?? '', isOpen);
  const options: (C | Choice)[] =
    none !== undefined && !typed ? [{ value: '', label: none }, ...choices] : choices;
  const last = options.length - 1;
  const active = Math.min(moved ?? (typed && !searching ? 0 : -1), last);
  const close = () => {
    setOpen(false);
    setTyped(undefined);
    setMoved(undefined);
  };
  const type = (text: string) => {
    setOpen(true);
    setTyped(text);
    setMoved(undefined);
  };
  const choose = (option: C | Choice) => {
    onChange(choices.find(({ value }) => value === option.value));
    scope?.setTyped(true);
    close();
  };
  const goals: Record<string, () => number> = {
    ArrowDown: () => (active < last ? active + 1 : 0),
    ArrowUp: () => (active > 0 ? active - 1 : last),
    Home: () => 0,
    End: () => last,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const goal = goals[event.key];
    const isArrow = event.key.startsWith('Arrow');
    // Enter would send the form, and Escape would close the dialog.
    const isTaken = event.key === 'Enter' || (isOpen && event.key === 'Escape');
    if (event.nativeEvent.isComposing || !(isTaken || (goal && (isOpen || isArrow)))) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') close();
    else if (!isOpen) setOpen(true);
    else if (goal) setMoved(goal());
    else if (options[active] && !searching) choose(options[active]);
  };
  const note = failed
    ? t.notLoaded
    : searching
      ? t.loading
      : options.length === 0
        ? t.noneFound
        : hasMore
          ? t.typeForMore
          : '';
  return {
    options,
    active,
    isOpen,
    typed,
    note,
    open: () => setOpen(true),
    type,
    point: setMoved,
    close,
    choose,
    onKeyDown,
  };
}

interface OptionProps {
  id: string;
  active: boolean;
  selected: boolean;
  children: string;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, active, selected, children, onPoint, onChoose }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div
      ref={element}
      id={id}
      role="option"
      className="combobox-option"
      aria-selected={selected}
      data-highlighted={active || undefined}
      onMouseMove={onPoint}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      {children}
    </div>
  );
}

const gap = 4;
const edge = 12;
const narrowest = 280;
const highest = 300;

/** The list below its field, or above it where there is more room; no frame around the field cuts it off. */
function Popup(props: { field: RefObject<HTMLInputElement | null>; note: string; children: ReactNode }) {
  const { field, note, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = () => {
      const { left, right, width, top, bottom } = field.current!.getBoundingClientRect();
      const { clientWidth, clientHeight } = document.documentElement;
      const room = { below: clientHeight - bottom - gap - edge, above: top - gap - edge };
      const isAbove = room.below < highest && room.above > room.below;
      const wide = Math.min(Math.max(width, narrowest), clientWidth - 2 * edge);
      const isRtl = getComputedStyle(field.current!).direction === 'rtl';
      const start = Math.max(edge, Math.min(isRtl ? right - wide : left, clientWidth - edge - wide));
      Object.assign(popup.current!.style, {
        left: `${start}px`,
        width: `${wide}px`,
        maxHeight: `${Math.min(highest, isAbove ? room.above : room.below)}px`,
        top: isAbove ? 'auto' : `${bottom + gap}px`,
        bottom: isAbove ? `${clientHeight - top + gap}px` : 'auto',
      });
    };
    place();
    addEventListener('scroll', place, true);
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, true);
      removeEventListener('resize', place);
    };
  }, [field]);
  return (
    <div ref={popup} className="combobox-popup">
      {children}
      <small role="status" className={note ? 'combobox-note soft' : 'unseen'}>
        {note}
      </small>
    </div>
  );
}

interface ChipsProps<C extends Choice> extends Omit<ComboboxProps<C>, 'chosen' | 'onChange' | 'none'> {
  chosen: readonly C[];
  onChange: (chosen: C[]) => void;
}

/** A choice of several of many: each is a chip that can be removed. */
export function ChipsCombobox<C extends Choice>({ chosen, onChange, find, ...combobox }: ChipsProps<C>) {
  const t = useTexts(texts);
  const scope = useScope();
  const place = useRef<HTMLDivElement>(null);
  const isFree = ({ value }: C) => !chosen.some((each) => each.value === value);
  const remove = (index: number) => {
    onChange(chosen.toSpliced(index, 1));
    scope?.setTyped(true);
    place.current?.querySelector('input')?.focus();
  };
  return (
    <div ref={place} className="chips-field">
      <Combobox
        {...combobox}
        find={async (text) => {
          const { choices, hasMore } = await find(text);
          return { choices: choices.filter(isFree), hasMore };
        }}
        chosen={undefined}
        onChange={(choice) => choice && onChange([...chosen, choice])}
      />
      {chosen.length > 0 && (
        <ul className="chips" aria-label={combobox.label}>
          {chosen.map(({ value, label }, index) => (
            <li key={value} className="chip">
              <bdi>{label}</bdi>
              <button type="button" aria-label={t.removeChoice(label)} onClick={() => remove(index)}>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

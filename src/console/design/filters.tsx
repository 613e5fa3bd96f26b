import { useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useShortcuts } from '../app/shortcuts.tsx';
import { useUrlValue } from '../data/url.ts';
import { useTexts } from '../texts/language.tsx';
import type { FindChoices } from './choices.ts';
import { Combobox } from './Combobox.tsx';
import { Field, Select, type Choice } from './Field.tsx';
import { More } from './More.tsx';
import { useNarrow } from './narrow.ts';
import { texts } from './texts.ts';

/** A filter of a list: its name is that of the variable of the query, and of the parameter in the address. */
export interface Filter {
  name: string;
  label: string;
  /** The values to choose from; without them the filter is a text. */
  choices?: Choice[];
  /** Finds the values to choose from, if there can be many. */
  find?: FindChoices<Choice>;
  /** Returns the label of a value that the address contains. */
  readLabel?: (value: string) => Promise<string | undefined>;
  /** Of a text. Default: `search`. */
  type?: 'search' | 'date';
  /** Turns the text into the value of the variable. */
  parse?: (text: string) => unknown;
}

/** A server searches from two characters on. */
const shortestSearch = 2;

/** The field above a list that finds its records by any part of their texts. */
export const searchFilter = (label: string): Filter => ({
  name: 'search',
  label,
  parse: (text) => (text.trim().length < shortestSearch ? undefined : text.trim()),
});

const pauseMs = 250;

/** Returns the values of the filters in the address; undefined for one that is not set. */
export function useFilterValues(filters: Filter[]): Record<string, unknown> {
  const [parameters] = useSearchParams();
  const key = filters.map(({ name }) => parameters.get(name) ?? '').join('\0');
  return useMemo(
    () =>
      Object.fromEntries(
        filters.map(({ name, parse = (text: string) => text }) => {
          const text = parameters.get(name);
          return [name, text ? parse(text) : undefined];
        }),
      ),
    [key],
  );
}

/** The fields of the filters. The key `/` leads to the first. */
export function Filters({ filters }: { filters: Filter[] }) {
  const t = useTexts(texts);
  const place = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const values = useFilterValues(filters);
  useShortcuts({
    '/': () => place.current?.querySelector<HTMLElement>('input, select')?.focus(),
  });
  const shown = isNarrow && filters.length > mostOnPhones ? filters.slice(0, 1) : filters;
  const others = filters.slice(shown.length);
  return (
    <div ref={place} className="row filters" role="search">
      {shown.map((filter) => (
        <OneFilter key={filter.name} filter={filter} />
      ))}
      {others.length > 0 && (
        <More label={t.filter} isOpen={others.some(({ name }) => values[name] !== undefined)}>
          {others.map((filter) => (
            <OneFilter key={filter.name} filter={filter} />
          ))}
        </More>
      )}
    </div>
  );
}

/** On a phone, more filters are behind a word that opens them. */
const mostOnPhones = 3;

function OneFilter({ filter }: { filter: Filter }) {
  if (filter.choices) return <ChoiceFilter filter={filter} choices={filter.choices} />;
  if (filter.find) return <SearchFilter filter={filter} find={filter.find} />;
  return filter.type === 'date' ? <DateFilter filter={filter} /> : <TextFilter filter={filter} />;
}

function ChoiceFilter({ filter: { name, label }, choices }: { filter: Filter; choices: Choice[] }) {
  const t = useTexts(texts);
  const [value, setValue] = useUrlValue(name);
  return (
    <Select
      compact
      label={label}
      value={value}
      choices={[{ value: '', label: `${label}: ${t.all}` }, ...choices]}
      onChange={({ target }) => setValue(target.value)}
    />
  );
}

function SearchFilter({ filter, find }: { filter: Filter; find: FindChoices<Choice> }) {
  const { name, label, readLabel } = filter;
  const t = useTexts(texts);
  const [value, setValue] = useUrlValue(name);
  const [known, setKnown] = useState<Choice>();
  useEffect(() => {
    if (value === '' || known?.value === value) return undefined;
    let current = true;
    const read = async () => {
      const found = await readLabel?.(value).catch(() => undefined);
      if (current) setKnown({ value, label: found ?? value });
    };
    void read();
    return () => {
      current = false;
    };
  }, [value]);
  return (
    <Combobox
      compact
      label={label}
      none={`${label}: ${t.all}`}
      find={find}
      chosen={value === '' ? undefined : known?.value === value ? known : { value, label: '…' }}
      onChange={(choice) => {
        setKnown(choice);
        setValue(choice?.value ?? '');
      }}
    />
  );
}

function DateFilter({ filter: { name, label } }: { filter: Filter }) {
  const [value, setValue] = useUrlValue(name);
  return (
    <div className="date-filter">
      <Field type="date" label={label} value={value} onChange={({ target }) => setValue(target.value)} />
    </div>
  );
}

function TextFilter({ filter: { name, label } }: { filter: Filter }) {
  const [value, setValue] = useUrlValue(name);
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // The address has changed otherwise, for example by a step back.
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = wanted;
      setValue(wanted);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, setValue]);
  return (
    <Field
      compact
      type="search"
      label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // A field of this type would empty itself, and a moment later the list would lose its filter.
        event.preventDefault();
        event.currentTarget.blur();
      }}
    />
  );
}

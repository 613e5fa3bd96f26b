import { useEffect, useRef } from 'react';
import { useSearchParams } from 'wouter';
import { useUrlValue } from '../data/url.ts';
import './Tabs.css';

export interface Tab {
  id: string;
  label: string;
}

/** Returns the tab that the address names, or the first one. */
export function useTab(tabs: Tab[], name = 'tab'): string {
  const [chosen] = useUrlValue(name);
  return tabs.some(({ id }) => id === chosen) ? chosen : tabs[0]!.id;
}

interface TabsProps {
  tabs: Tab[];
  label: string;
  name?: string;
  /** Whether each is a list of its own: the filters, the order and the columns of one are not those of another. */
  isList?: boolean;
}

/** Tabs whose choice is part of the address, so that a link leads to one. */
export function Tabs({ tabs, label, name = 'tab', isList = false }: TabsProps) {
  const [, setOne] = useUrlValue(name);
  const [, setParameters] = useSearchParams();
  const choose = (id: string) => (isList ? setParameters(id ? { [name]: id } : {}) : setOne(id));
  const current = useTab(tabs, name);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone the tabs scroll: the chosen one is brought into sight, and the page stays where it is.
    const list = place.current?.getBoundingClientRect();
    const pressed = place.current?.querySelector('[aria-pressed=true]')?.getBoundingClientRect();
    if (!list || !pressed) return;
    const hidden = Math.max(pressed.right - list.right, 0) + Math.min(pressed.left - list.left, 0);
    place.current!.scrollBy({ left: hidden });
  }, [current]);
  return (
    <div ref={place} className="tabs" role="group" aria-label={label}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          className="tab"
          aria-pressed={id === current}
          onClick={() => choose(id === tabs[0]!.id ? '' : id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

import { useEffect, useState } from 'react';
import type { Choice } from './Field.tsx';

/** The matches of a search. */
interface FoundChoices<C extends Choice> {
  choices: C[];
  /** Whether more records match than these. */
  hasMore: boolean;
}

/** Finds the records that match a text, the first ones for an empty text. */
export type FindChoices<C extends Choice> = (text: string) => Promise<FoundChoices<C>>;

type State<C extends Choice> = FoundChoices<C> & { searching: boolean; failed: boolean };

const pauseMs = 200;
const longestText = 200;

/** Returns the choices for a text while `active`; a text is searched for when the typing pauses. */
export function useChoices<C extends Choice>(find: FindChoices<C>, text: string, active: boolean): State<C> {
  const [state, setState] = useState<State<C>>({
    choices: [],
    hasMore: false,
    searching: false,
    failed: false,
  });
  const wanted = text.trim().slice(0, longestText);
  useEffect(() => {
    if (!active) return undefined;
    let current = true;
    setState((before) => ({ ...before, searching: true, failed: false }));
    const search = async () => {
      const found = await find(wanted).catch(() => undefined);
      if (!current) return;
      setState({ choices: [], hasMore: false, ...found, searching: false, failed: !found });
    };
    const timer = setTimeout(() => void search(), wanted ? pauseMs : 0);
    return () => {
      current = false;
      clearTimeout(timer);
    };
    // A new function with each drawing finds the same.
  }, [wanted, active]);
  return state;
}

/** The forms in which something was typed that is not saved, and how one leaves a screen that has them. */
import { createContext, useContext, useEffect, useRef } from 'react';
import type { AroundNavHandler } from 'wouter';

/** Asks whether to give up what was typed, and calls `leave` if so. */
type Ask = (leave: () => void) => void;

export interface Unsaved {
  /** One for each form, the latest last. */
  asks: Ask[];
  /** Leaves at once, or once the operator has given up what they typed. */
  leave: (go: () => void) => void;
  /** Asks before another screen opens. Filters and tabs change the address and leave the screen. */
  aroundNav: AroundNavHandler;
}

/** Returns the forms of a page, which has none yet. Call it before the router begins. */
export function createUnsaved(): Unsaved {
  const asks: Ask[] = [];
  const leave = (go: () => void) => {
    const ask = asks.at(-1);
    if (!ask) return go();
    return ask(() => {
      asks.length = 0;
      go();
    });
  };
  const aroundNav: AroundNavHandler = (navigate, to, options) => {
    const isHere = new URL(to, location.href).pathname === location.pathname;
    if (isHere) navigate(to, options);
    else leave(() => navigate(to, options));
  };
  const unsaved = { asks, leave, aroundNav };
  watchStepsBack(unsaved);
  return unsaved;
}

export const UnsavedContext = createContext<Unsaved | undefined>(undefined);

/** Returns a function that leaves what a form shows, once the operator has given up what they typed in it. */
export const useLeave = (): Unsaved['leave'] => useContext(UnsavedContext)!.leave;

/** While something is typed, `ask` is called before another screen opens, and the browser asks before it leaves the page. */
export function useUnsaved(isTyped: boolean, ask: Ask): void {
  const { asks } = useContext(UnsavedContext)!;
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    if (!isTyped) return undefined;
    const own: Ask = (leave) => latest.current(leave);
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    asks.push(own);
    addEventListener('beforeunload', warn);
    return () => {
      removeEventListener('beforeunload', warn);
      if (asks.includes(own)) asks.splice(asks.indexOf(own), 1);
    };
  }, [asks, isTyped]);
}

/**
 * Asks before a step back in the browser's history, which has happened when the page learns of it: it is undone meanwhile. The
 * router must not have begun to listen, or it would follow first.
 */
function watchStepsBack({ asks, leave }: Unsaved): void {
  let shown = location.href;
  const follow = () => {
    shown = location.href;
  };
  // Events of the router.
  addEventListener('pushState', follow);
  addEventListener('replaceState', follow);
  addEventListener('popstate', (event) => {
    const isHash = shown.replace(/#.*/, '') === location.href.replace(/#.*/, '');
    if (asks.length === 0 || isHash) return follow();
    event.stopImmediatePropagation();
    history.pushState(null, '', shown);
    return leave(() => history.back());
  });
}

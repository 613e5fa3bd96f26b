import { useEffect, useRef, type RefObject } from 'react';
import { useShortcuts } from '../app/shortcuts.tsx';

/**
 * j and k move the focus from row to row. A key that is pressed while rows are loading counts when they have come, and the
 * place in the list keeps the focus when other rows come. `scrollTo` brings a row into sight.
 */
export function useRowKeys(
  frame: RefObject<HTMLElement | null>,
  rows: readonly unknown[],
  scrollTo: RefObject<((index: number) => void) | undefined>,
): void {
  /** The row that has the focus, or is to have it. */
  const wanted = useRef<number>(undefined);
  const focusWanted = () => {
    const row = frame.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] :is(a, button)`);
    if (row && row !== document.activeElement) row.focus({ preventScroll: true });
  };
  const move = (step: number) => {
    wanted.current = Math.max((wanted.current ?? -1) + step, 0);
    if (rows.length === 0) return;
    wanted.current = Math.min(wanted.current, rows.length - 1);
    scrollTo.current?.(wanted.current);
    // The row may be rendered only now that it is in sight.
    requestAnimationFrame(() => requestAnimationFrame(focusWanted));
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });

  useEffect(() => {
    const follow = ({ target }: Event) => {
      const row = target instanceof Element ? target.closest('[data-row]') : null;
      wanted.current = row ? Number(row.getAttribute('data-row')) : undefined;
    };
    document.addEventListener('focusin', follow);
    document.addEventListener('pointerdown', follow);
    return () => {
      document.removeEventListener('focusin', follow);
      document.removeEventListener('pointerdown', follow);
    };
  }, []);

  useEffect(() => {
    if (wanted.current === undefined || rows.length === 0) return;
    wanted.current = Math.min(wanted.current, rows.length - 1);
    if (document.activeElement === document.body) focusWanted();
  }, [rows]);
}

import { useEffect, useRef } from 'react';

/** What keys do: `mod+k` is ⌘K on a Mac and Ctrl+K elsewhere. */
export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

/**
 * Reacts to keys anywhere on the page, unless somebody is typing or a dialog is open. Keys with `mod` work also while
 * typing.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const isCommand = event.metaKey || event.ctrlKey;
      if (!isCommand && (isTyping(event.target) || document.querySelector('dialog[open], [role=menu]')))
        return;
      const perform = latest.current[isCommand ? `mod+${event.key.toLowerCase()}` : event.key];
      if (!perform) return;
      event.preventDefault();
      perform(event);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

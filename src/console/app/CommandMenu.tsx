import { Command } from 'cmdk';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Icon } from '../design/Icon.tsx';
import { isolate } from '../design/Values.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';
import { navPlaces } from './screens.tsx';
import { useSearch } from './search.ts';
import './CommandMenu.css';

/** The menu of ⌘K: records by what one types, and places. */
export function CommandMenu({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const [text, setText] = useState('');
  const { hits, searching } = useSearch(text);
  const [, navigate] = useLocation();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current!.showModal();
    // The dialog would give the focus to the frame of the menu, and the attribute autoFocus comes before it shows.
    element.current!.querySelector('input')!.focus();
  }, []);
  const go = (path: string) => {
    onClose();
    navigate(path);
  };
  const wanted = text.trim().toLowerCase();
  const places = navPlaces.filter(({ label }) => (t[label] as string).toLowerCase().includes(wanted));
  return (
    <dialog
      ref={element}
      className="commands"
      aria-label={t.searchOrAct}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <Command label={t.searchOrAct} shouldFilter={false} loop>
        <Command.Input value={text} onValueChange={setText} placeholder={t.searchOrAct} />
        <Command.List label={t.results}>
          <Command.Empty>{searching ? t.searching : t.noResult}</Command.Empty>
          {hits.length > 0 && (
            <Command.Group heading={t.results}>
              {hits.map(({ id, title, detail, path, icon }) => (
                <Command.Item key={id} value={id} onSelect={() => go(path)}>
                  <Icon name={icon} />
                  <span>{isolate(title)}</span>
                  <small className="soft">{isolate(detail)}</small>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {places.length > 0 && (
            <Command.Group heading={t.goTo}>
              {places.map(({ folder, path, label, icon }) => (
                <Command.Item key={folder} value={folder} onSelect={() => go(path)}>
                  <Icon name={icon} />
                  <span>{t[label] as string}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </dialog>
  );
}

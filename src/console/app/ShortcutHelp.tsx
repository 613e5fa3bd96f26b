import { Dialog } from '../design/Dialog.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

const mod = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';

/** The list of the keys. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const keys: [string[], string][] = [
    [[mod, 'K'], t.openMenu],
    [['/'], t.filterList],
    [['j'], t.nextRow],
    [['k'], t.previousRow],
    [['Enter'], t.openRow],
    [['Esc'], t.closeTop],
    [['?'], t.showShortcuts],
  ];
  return (
    <Dialog title={t.shortcuts} onClose={onClose}>
      <dl className="shortcuts">
        {keys.map(([each, label]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="ltr">
              {each.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

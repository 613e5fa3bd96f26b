import { DropdownMenu } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { getDirection, useLanguage } from '../texts/language.tsx';
import { Button, type ButtonProps } from './Button.tsx';
import { Icon, type IconName } from './Icon.tsx';
import './Menu.css';

/** One entry of a menu: something to do, something to switch, or a line. */
export type MenuEntry =
  | {
      label: string;
      onSelect: () => void;
      icon?: IconName;
      danger?: boolean;
      /** Why it cannot be chosen now. */
      refused?: string | undefined;
      /** Shows a check mark. */
      checked?: boolean;
      note?: ReactNode;
      /** Keeps the menu open. */
      stays?: boolean;
    }
  | 'line'
  | { heading: string };

interface MenuProps extends ButtonProps {
  entries: MenuEntry[];
  align?: 'start' | 'end';
}

/**
 * Returns the part of the page that takes an open menu. Beside all landmarks, where Radix puts it, screen readers would leave
 * the page's structure; beside an open dialog it would lie below it.
 */
const findLandmark = () => document.querySelector<HTMLElement>('dialog[open], main');

/** A button that opens a menu. */
export function Menu({ entries, align = 'end', ...button }: MenuProps) {
  const { language } = useLanguage();
  const [open, setOpen] = useState(false);
  return (
    <DropdownMenu.Root modal={false} dir={getDirection(language)} open={open} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>
        <Button {...button} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={open ? findLandmark() : null}>
        <DropdownMenu.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
          {entries.map((entry, index) => (
            <MenuLine
              key={typeof entry === 'object' && 'label' in entry ? entry.label : index}
              entry={entry}
            />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function MenuLine({ entry }: { entry: MenuEntry }) {
  if (entry === 'line') return <DropdownMenu.Separator className="menu-line" />;
  if ('heading' in entry)
    return <DropdownMenu.Label className="menu-heading">{entry.heading}</DropdownMenu.Label>;
  const { label, onSelect, icon, danger, refused, checked, note, stays } = entry;
  const content = (
    <>
      {checked !== undefined && <span className="menu-check">{checked && <Icon name="check" />}</span>}
      {icon && <Icon name={icon} />}
      <span className="menu-label">
        {label}
        {(refused ?? note) && <small>{refused ?? note}</small>}
      </span>
    </>
  );
  const common = {
    className: danger ? 'menu-entry danger' : 'menu-entry',
    disabled: refused !== undefined,
    onSelect: (event: Event) => {
      if (stays) event.preventDefault();
      onSelect();
    },
  };
  return checked === undefined ? (
    <DropdownMenu.Item {...common}>{content}</DropdownMenu.Item>
  ) : (
    <DropdownMenu.CheckboxItem {...common} checked={checked}>
      {content}
    </DropdownMenu.CheckboxItem>
  );
}

import { useCan, type Permission } from '../data/session.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

/** Returns why the operator may not do something, for `Button.refused` and menu entries; undefined if they may. */
export function useRefusal(permission: Permission): string | undefined {
  const t = useTexts(texts);
  return useCan(permission) ? undefined : t.permissionNeeded(permission);
}

import { useEffect } from 'react';
import { useStored } from '../data/stored.ts';

export type Theme = 'light' | 'dark' | 'system';

/** Returns the theme that the operator chose, and a function that changes it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useStored<Theme>('theme', 'system');
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return [theme, setTheme];
}

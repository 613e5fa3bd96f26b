import { useTexts } from '../texts/language.tsx';
import { Menu } from './Menu.tsx';
import { formatCurl, formatGraphql, type ScreenRequest } from './request.ts';
import { texts } from './texts.ts';
import { useToast } from './Toasts.tsx';

/** The request of a screen, to copy: the console shows how the API does the same. */
export function ApiMenu({ request }: { request: ScreenRequest }) {
  const t = useTexts(texts);
  const toast = useToast();
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    toast(t.copied);
  };
  return (
    <Menu
      look="quiet"
      icon="developers"
      aria-label={t.api}
      title={t.copyGraphql}
      entries={[
        { label: t.copyGraphql, icon: 'copy', onSelect: () => void copy(formatGraphql(request)) },
        { label: t.copyCurl, icon: 'copy', onSelect: () => void copy(formatCurl(request, location.origin)) },
      ]}
    />
  );
}

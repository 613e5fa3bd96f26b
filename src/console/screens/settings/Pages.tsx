import { useTexts } from '../../texts/language.tsx';
import type { Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { policyTexts } from './texts.ts';

/** The origins of the web pages that may use publishable keys. */
export function Pages({ settings, onSaved }: { settings: Settings; onSaved: () => void }) {
  const t = useTexts(policyTexts);
  return (
    <SettingsForm
      title={t.pages}
      initial={{ allowedOrigins: settings.allowedOrigins.join('\n') }}
      fields={[{ name: 'allowedOrigins', label: t.allowedOrigins, hint: t.originsHint, kind: 'area' }]}
      toInput={({ allowedOrigins }) => ({ allowedOrigins: allowedOrigins.split(/\s+/).filter(Boolean) })}
      onSaved={onSaved}
    />
  );
}

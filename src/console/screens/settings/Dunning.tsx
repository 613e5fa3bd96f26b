import { numberOrNull } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { DunningPicture } from './DunningPicture.tsx';
import { policyTexts } from './texts.ts';
import type { Settings } from './query.ts';
import { readDays, SettingsForm } from './SettingsForm.tsx';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

/** What happens when a charge fails. */
export function Dunning({ settings: { retryDays, dunning }, onSaved }: PartProps) {
  const t = useTexts(policyTexts);
  return (
    <SettingsForm
      title={t.dunning}
      initial={{
        retryDays: retryDays.join(', '),
        mailDays: dunning.mailDays.join(', '),
        accessGraceDays: String(dunning.accessGraceDays ?? ''),
        finalAction: dunning.finalAction,
      }}
      fields={[
        { name: 'retryDays', label: t.retryDays, hint: t.daysHint },
        { name: 'mailDays', label: t.mailDays, hint: t.daysHint },
        { name: 'accessGraceDays', label: t.accessGraceDays, hint: t.accessGraceHint, kind: 'number' },
        {
          name: 'finalAction',
          label: t.finalAction,
          choices: (['cancel', 'pause', 'leave'] as const).map((value) => ({ value, label: t[value] })),
        },
      ]}
      toInput={(values) => ({
        retryDays: readDays(values.retryDays),
        dunning: {
          mailDays: readDays(values.mailDays),
          accessGraceDays: numberOrNull(values.accessGraceDays),
          finalAction: values.finalAction,
        },
      })}
      preview={(values) => (
        <DunningPicture
          retryDays={readDays(values.retryDays)}
          mailDays={readDays(values.mailDays)}
          accessGraceDays={numberOrNull(values.accessGraceDays)}
          finalAction={values.finalAction}
        />
      )}
      onSaved={onSaved}
    />
  );
}

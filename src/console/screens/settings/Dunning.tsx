import { readWhole } from '../../texts/numbers.ts';
import { useTexts } from '../../texts/language.tsx';
import { policyTexts } from './texts.ts';
import type { Settings } from './query.ts';
import { readDays, SettingsForm } from './SettingsForm.tsx';
import type { CSSProperties } from 'react';
import { useFormat } from '../../texts/format.ts';

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
          accessGraceDays: readWhole(values.accessGraceDays),
          finalAction: values.finalAction,
        },
      })}
      preview={(values) => (
        <DunningPicture
          retryDays={readDays(values.retryDays)}
          mailDays={readDays(values.mailDays)}
          accessGraceDays={readWhole(values.accessGraceDays)}
          finalAction={values.finalAction}
        />
      )}
      onSaved={onSaved}
    />
  );
}

interface DunningPictureProps {
  retryDays: number[];
  mailDays: number[];
  accessGraceDays: number | null;
  finalAction: 'cancel' | 'pause' | 'leave';
}

interface Mark {
  day: number;
  kind: 'first' | 'retry' | 'mail' | 'access' | 'final';
  label: string;
}

const longestDay = 365;
const isDay = (day: number | null): day is number => Number.isInteger(day) && day! >= 0 && day! <= longestDay;

/** The days after a failed charge, drawn to scale, and in words. */
function DunningPicture(props: DunningPictureProps) {
  const { retryDays, mailDays, accessGraceDays, finalAction } = props;
  const t = useTexts(policyTexts);
  const format = useFormat();
  const retries = retryDays.filter(isDay);
  const lastTry = Math.max(0, ...retries);
  const marks: Mark[] = [
    { day: 0, kind: 'first', label: t.pictureFirst },
    ...retries.map((day): Mark => ({ day, kind: 'retry', label: t.pictureRetry })),
    ...mailDays.filter(isDay).map((day): Mark => ({ day, kind: 'mail', label: t.pictureMail })),
    ...(isDay(accessGraceDays)
      ? [{ day: accessGraceDays, kind: 'access' as const, label: t.pictureAccess }]
      : []),
    { day: lastTry, kind: 'final', label: t[finalAction] },
  ];
  const sorted = marks.toSorted((one, other) => one.day - other.day);
  const days = [...new Set(sorted.map(({ day }) => day))];
  const end = Math.max(1, ...days);
  const place = (day: number) => ({ '--place': day / end }) as CSSProperties;
  return (
    <figure className="dunning">
      <div className="dunning-axis" aria-hidden="true" dir="ltr">
        {sorted.map(({ day, kind }) => (
          <span key={`${kind} ${day}`} className={`dunning-mark ${kind}`} style={place(day)} />
        ))}
        {days.map((day) => (
          <small key={day} className="dunning-day" style={place(day)}>
            {format.number(day)}
          </small>
        ))}
      </div>
      <figcaption>
        {retries.length === 0 && <p className="soft">{t.pictureNever}</p>}
        <ol className="dunning-list">
          {days.map((day) => (
            <li key={day}>
              <span className="soft">
                {t.pictureDay} {format.number(day)}
              </span>
              <span className="dunning-words">
                {sorted
                  .filter((mark) => mark.day === day)
                  .map(({ kind, label }) => (
                    <span key={kind} className={`dunning-word ${kind}`}>
                      {label}
                    </span>
                  ))}
              </span>
            </li>
          ))}
        </ol>
      </figcaption>
    </figure>
  );
}

import { Checkbox, Field } from '../../design/Field.tsx';
import type { Form } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';
import type { AlertForm } from './values.ts';

/** The fields of the alerts of a limit: those of all limits, or its own. */
export function AlertFields<Values extends AlertForm>({
  form: { values, bind, check },
  autoFocus = false,
}: {
  form: Pick<Form<Values>, 'values' | 'bind' | 'check'>;
  autoFocus?: boolean;
}) {
  const t = useTexts(texts);
  return (
    <>
      <Checkbox label={t.tenantAlerts} autoFocus={autoFocus} {...check('usesTenantAlerts')} />
      {!values.usesTenantAlerts && <Field label={t.alerts} hint={t.alertsHint} {...bind('alertPercents')} />}
    </>
  );
}

import { useState } from 'react';
import { useAction } from '../../data/action.tsx';
import { readMachineClock } from '../../data/clock.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Checkbox, Field, Select, TextArea } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { formatCurl } from '../../design/request.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CreateKey, FirstRequest } from './query.ts';
import { grantable, type GrantablePermission } from './permissions.ts';
import { texts } from './texts.ts';
import './keys.css';
import { dayMs } from '../../data/periods.ts';

const lifetimes = ['', '30', '90', '365'] as const;

interface Values {
  name: string;
  kind: 'secret' | 'publishable';
  scope: 'read' | 'write' | 'chosen';
  permissions: GrantablePermission[];
  addresses: string;
  days: string;
}

/** One address or network in each line, or separated by commas. */
const splitAddresses = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** Creates a key, then shows it once. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const { run, busy, problem } = useAction(CreateKey);
  const { values, bind, change } = useForm<Values>(
    { name: '', kind: 'secret', scope: 'read', permissions: ['read'], addresses: '', days: '' },
    problem,
  );
  const [created, setCreated] = useState<{ apiKey: string | null }>();
  const submit = async () => {
    const { name, kind, days } = values;
    const addresses = splitAddresses(values.addresses);
    const rights = kind === 'secret' && {
      ...(values.scope === 'chosen' ? { permissions: values.permissions } : { scope: values.scope }),
      ipAllowlist: addresses.length > 0 ? addresses : null,
    };
    const expiresAt = days ? new Date(readMachineClock() + Number(days) * dayMs).toISOString() : null;
    const done = (await run({ input: { name: orNull(name), kind, expiresAt, ...rights } }))?.createApiKey;
    if (done) setCreated({ apiKey: done.apiKey ?? null });
  };
  if (created) return <CreatedKey {...created} isSecret={values.kind === 'secret'} onClose={onClose} />;
  return (
    <FormDialog
      title={t.create}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.name} hint={t.nameHint} maxLength={200} autoFocus {...bind('name')} />
      <Select
        label={t.kind}
        hint={values.kind === 'secret' ? t.secretHint : t.publishableHint}
        choices={(['secret', 'publishable'] as const).map((value) => ({ value, label: t[value] }))}
        {...bind('kind')}
      />
      {values.kind === 'secret' && (
        <>
          <Select
            label={t.scope}
            hint={t[`${values.scope}Hint`]}
            choices={(['read', 'write', 'chosen'] as const).map((value) => ({ value, label: t[value] }))}
            {...bind('scope')}
          />
          {values.scope === 'chosen' && (
            <Permissions chosen={values.permissions} onChange={(permissions) => change({ permissions })} />
          )}
          <TextArea
            label={t.addresses}
            hint={t.addressesHint}
            rows={2}
            dir="ltr"
            {...bind('addresses', 'ipAllowlist')}
          />
        </>
      )}
      <Select
        label={t.expires}
        choices={lifetimes.map((value) => ({ value, label: value ? t.inDays(Number(value)) : t.never }))}
        {...bind('days', 'expiresAt')}
      />
    </FormDialog>
  );
}

interface PermissionsProps {
  chosen: GrantablePermission[];
  onChange: (chosen: GrantablePermission[]) => void;
}

/** A box for each permission; reading is always among them. */
function Permissions({ chosen, onChange }: PermissionsProps) {
  const t = useTexts(texts);
  const toggle = (each: GrantablePermission) =>
    onChange(chosen.includes(each) ? chosen.filter((other) => other !== each) : [...chosen, each]);
  return (
    <fieldset className="checkboxes">
      <legend className="field-label">{t.permissions}</legend>
      {grantable.map((each) => (
        <Checkbox
          key={each}
          label={t.permission[each]}
          checked={chosen.includes(each)}
          disabled={each === 'read'}
          onChange={() => toggle(each)}
        />
      ))}
    </fieldset>
  );
}

function CreatedKey(props: { apiKey: string | null; isSecret: boolean; onClose: () => void }) {
  const { apiKey, isSecret, onClose } = props;
  const t = useTexts(texts);
  const toast = useToast();
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    toast(t.copied);
  };
  const request = formatCurl({ document: FirstRequest }, location.origin);
  return (
    <Dialog
      title={t.newKey}
      onClose={onClose}
      actions={
        <>
          {apiKey !== null && (
            <Button icon="copy" onClick={() => void copy(apiKey)}>
              {t.copy}
            </Button>
          )}
          <Button look="main" onClick={onClose}>
            {t.done}
          </Button>
        </>
      }
    >
      <Note tone="late">{apiKey === null ? t.lost : t.once}</Note>
      {apiKey !== null && (
        <>
          <Field
            label={t.newKey}
            readOnly
            dir="ltr"
            value={apiKey}
            onFocus={({ target }) => target.select()}
          />
          {isSecret && (
            <>
              <p className="soft">{t.firstRequest}</p>
              <pre className="keys-request" dir="ltr" tabIndex={0} role="region" aria-label={t.firstRequest}>
                {request}
              </pre>
              <div>
                <Button icon="copy" onClick={() => void copy(request)}>
                  {t.copyRequest}
                </Button>
              </div>
            </>
          )}
        </>
      )}
    </Dialog>
  );
}

import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { readMachineClock } from '../../data/clock.tsx';
import { useAction } from '../../data/action.tsx';
import { useSession, type Membership } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Checkbox, Field } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CreateTestTenant, DeleteTestTenant, ResetTenant } from './query.ts';
import { rename } from '../../texts/names.ts';
import { tenantTexts } from './texts.ts';

type Tenant = Membership['tenant'];

/** The operator's test tenants: to try something out, with a clock that can be moved. */
export function TestTenants() {
  const t = useTexts(tenantTexts);
  const { operator, membership } = useSession();
  const refusal = useRefusal('manage_operators');
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Tenant>();
  const tenants = operator.memberships.filter(({ tenant }) => tenant.isTest);
  const whyNot = ({ tenant, permissions }: Membership) => {
    if (tenant.alias === membership?.tenant.alias) return t.isCurrent;
    return permissions.includes('manage_operators') ? refusal : t.notYours;
  };
  return (
    <>
      <Section
        title={t.title}
        actions={
          <Button icon="plus" refused={refusal} onClick={() => setCreating(true)}>
            {t.create}
          </Button>
        }
      >
        <p className="soft">{t.intro}</p>
        <Table
          caption={t.title}
          rows={tenants}
          rowKey={({ tenant }) => tenant.alias}
          empty={t.none}
          columns={[
            {
              header: t.name,
              cell: ({ tenant }) => <Link href={`~/console/t/${tenant.alias}`}>{tenant.name}</Link>,
            },
            { header: t.alias, cell: ({ tenant }) => <code dir="ltr">{tenant.alias}</code> },
            { header: t.timezone, cell: ({ tenant }) => <span dir="ltr">{tenant.timeZone}</span> },
            {
              header: t.actions,
              align: 'end',
              cell: (each) => (
                <Button look="quiet" refused={whyNot(each)} onClick={() => setDeleting(each.tenant)}>
                  {t.delete}
                </Button>
              ),
            },
          ]}
        />
        {creating && <Create onClose={() => setCreating(false)} />}
        {deleting && <Delete tenant={deleting} onClose={() => setDeleting(undefined)} />}
      </Section>
      {membership?.tenant.isTest && <ResetPart tenant={membership.tenant} />}
    </>
  );
}

function Create({ onClose }: { onClose: () => void }) {
  const t = useTexts(tenantTexts);
  const toast = useToast();
  const { membership, refresh } = useSession();
  const action = useAction(CreateTestTenant);
  const initial = { alias: '', name: '', timeZone: membership?.tenant.timeZone ?? 'UTC', hasClock: true };
  const { values, bind, check, change } = useForm(initial, action.problem);
  const create = async () => {
    const { alias, name, timeZone, hasClock } = values;
    const clock = hasClock ? new Date(readMachineClock()).toISOString() : null;
    const input = { alias, name: orNull(name), timeZone: orNull(timeZone), clock };
    if (!(await action.run({ input }))) return;
    toast(t.created(alias));
    refresh();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.create}
      label={t.create}
      action={action}
      onConfirm={() => void create()}
      onClose={onClose}
    >
      <Field
        label={t.name}
        autoFocus
        {...bind('name')}
        onChange={({ target }) => change(rename(values, target.value))}
      />
      <Field label={t.alias} hint={t.aliasHint} required dir="ltr" {...bind('alias')} />
      <Field label={t.timezone} dir="ltr" {...bind('timeZone')} />
      <Checkbox label={t.ownClock} hint={t.ownClockHint} {...check('hasClock')} />
    </ConfirmAction>
  );
}

function Delete({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const t = useTexts(tenantTexts);
  const toast = useToast();
  const { refresh } = useSession();
  const action = useAction(DeleteTestTenant);
  const { values, bind } = useForm({ alias: '' });
  const remove = async () => {
    if (!(await action.run({ alias: tenant.alias }))) return;
    toast(t.deleted(tenant.alias));
    refresh();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.deleteTitle(tenant.name)}
      label={t.delete}
      danger
      refused={values.alias === tenant.alias ? undefined : t.typeAlias(tenant.alias)}
      action={action}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t.deleteText}</p>
      <Field label={t.typeAlias(tenant.alias)} dir="ltr" required autoFocus {...bind('alias')} />
    </ConfirmAction>
  );
}

/** Lets a test tenant begin again. */
function ResetPart({ tenant }: { tenant: Tenant }) {
  const t = useTexts(tenantTexts);
  const refusal = useRefusal('manage_settings');
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={t.resetTitle(tenant.name)}>
      <p className="soft">{t.resetText}</p>
      <div>
        <Button look="danger" refused={refusal} onClick={() => setOpen(true)}>
          {t.reset}
        </Button>
      </div>
      {isOpen && <Reset tenant={tenant} onClose={() => setOpen(false)} />}
    </Section>
  );
}

function Reset({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const t = useTexts(tenantTexts);
  const action = useAction(ResetTenant);
  const { values, bind } = useForm({ confirmation: '' });
  const reset = async () => {
    // The page begins again as well: what it keeps of the records is gone.
    if (await action.run({ input: values })) location.assign(`/console/t/${tenant.alias}`);
  };
  return (
    <ConfirmAction
      title={t.resetTitle(tenant.name)}
      label={t.reset}
      danger
      refused={values.confirmation === tenant.alias ? undefined : t.typeAlias(tenant.alias)}
      action={action}
      onConfirm={() => void reset()}
      onClose={onClose}
    >
      <p>{t.resetText}</p>
      <Field label={t.typeAlias(tenant.alias)} dir="ltr" required autoFocus {...bind('confirmation')} />
    </ConfirmAction>
  );
}

import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { GiveDialog } from './GiveDialog.tsx';
import { CustomerEntitlementsQuery, RemoveEntitlementOverride, type CustomerEntitlement } from './queries.ts';
import { texts } from './texts.ts';
import { useValues } from './values.ts';

interface Open {
  entitlement: CustomerEntitlement;
  /** The override to take back; undefined to give a value. */
  overrideId?: string | undefined;
}

/** What a customer may do with each feature now, with dialogs to give them a value; nothing in a tenant without features. */
export function CustomerEntitlements({ customerId }: { customerId: string }) {
  const t = useTexts(texts);
  const refused = useRefusal('manage_subscriptions');
  const [open, setOpen] = useState<Open>();
  const { data, refetch } = useScreenQuery(
    CustomerEntitlementsQuery,
    { id: customerId },
    { ids: [customerId], types: ['EntitlementOverrideEvent', 'ProductEntitlementEvent', 'FeatureEvent'] },
  );
  const rows = data?.entitlements ?? [];
  if (rows.length === 0) return null;
  const overrides = data?.entitlementOverrides?.nodes ?? [];
  const findOverride = (entitlement: CustomerEntitlement) =>
    overrides.find(({ feature }) => feature.key === entitlement.feature.key)?.id;
  const close = () => setOpen(undefined);
  return (
    <Section title={t.entitlements}>
      <Entitlements rows={rows} findOverride={findOverride} refused={refused} onOpen={setOpen} />
      {open && open.overrideId === undefined && (
        <GiveDialog
          customerId={customerId}
          feature={open.entitlement.feature}
          onClose={close}
          onDone={refetch}
        />
      )}
      {open?.overrideId !== undefined && (
        <TakeBack
          id={open.overrideId}
          name={open.entitlement.feature.name}
          onClose={close}
          onDone={refetch}
        />
      )}
    </Section>
  );
}

interface EntitlementsProps {
  rows: CustomerEntitlement[];
  findOverride: (entitlement: CustomerEntitlement) => string | undefined;
  refused: string | undefined;
  onOpen: (open: Open) => void;
}

type Row = CustomerEntitlement;

/** With these a limit of null is one without end. */
const given = new Set(['included', 'override', 'overage']);

function Entitlements({ rows, findOverride, refused, onOpen }: EntitlementsProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const write = useValues();
  const units = (value: string | null) => (value === null ? <Nothing /> : write('limit', value));
  // Few tenants reserve, and few limits begin again.
  const hasReserved = rows.some(({ reserved }) => Number(reserved) > 0);
  const hasReset = rows.some(({ resetsAt }) => resetsAt !== null);
  return (
    <Table
      caption={t.entitlements}
      rows={rows}
      rowKey={({ feature }) => feature.id}
      columns={[
        { header: t.feature, cell: ({ feature }) => <span dir="auto">{feature.name}</span> },
        {
          header: t.value,
          cell: ({ feature, value, because }) =>
            value === null && !given.has(because) ? <Nothing /> : write(feature.kind, value),
        },
        {
          header: t.used,
          align: 'end',
          cell: ({ used, alertedPercent }) => (
            <>
              {units(used)}
              {alertedPercent !== null && (
                <div className="soft">{t.alerted(format.percent(alertedPercent / 100))}</div>
              )}
            </>
          ),
        },
        ...(hasReserved
          ? [{ header: t.reserved, align: 'end' as const, cell: ({ reserved }: Row) => units(reserved) }]
          : []),
        { header: t.remaining, align: 'end', cell: ({ remaining }) => units(remaining) },
        ...(hasReset ? [{ header: t.resets, cell: ({ resetsAt }: Row) => <When at={resetsAt} /> }] : []),
        {
          header: t.access,
          cell: ({ allowed, because }) => <Status tone={allowed ? 'good' : 'neutral'}>{t[because]}</Status>,
        },
        {
          header: t.actions,
          align: 'end',
          cell: (entitlement) => {
            const overrideId = findOverride(entitlement);
            return (
              <>
                <Button look="quiet" refused={refused} onClick={() => onOpen({ entitlement })}>
                  {t.give}
                </Button>
                {overrideId !== undefined && (
                  <Button look="quiet" refused={refused} onClick={() => onOpen({ entitlement, overrideId })}>
                    {t.takeBack}
                  </Button>
                )}
              </>
            );
          },
        },
      ]}
    />
  );
}

interface TakeBackProps {
  id: string;
  name: string;
  onClose: () => void;
  onDone: () => void;
}

function TakeBack({ id, name, onClose, onDone }: TakeBackProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(RemoveEntitlementOverride);
  const confirm = async () => {
    if (!(await action.run({ id }))) return;
    toast(t.takenBack(name));
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.takeBackTitle(name)}
      label={t.takeBack}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{t.takeBackText}</p>
    </ConfirmAction>
  );
}

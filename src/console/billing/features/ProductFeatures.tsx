import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { useForm } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { AttachFeatureDialog } from './AttachFeature.tsx';
import { CreateFeatureDialog } from './CreateFeature.tsx';
import { FeatureAlertsDialog } from './FeatureAlerts.tsx';
import { Effect, ReachField, type Reach } from './Effect.tsx';
import {
  DetachFeature,
  FeaturesQuery,
  PreviewDetachQuery,
  ProductFeaturesQuery,
  type AttachedFeature,
} from './queries.ts';
import { texts } from './texts.ts';
import { useValues } from './values.ts';

type Open =
  { name: 'create' | 'attach' } | { name: 'change' | 'detach' | 'alerts'; attached: AttachedFeature };

/** What the subscribers of a product have of features, with dialogs to change it. */
export function ProductFeatures({ productId }: { productId: string }) {
  const t = useTexts(texts);
  const refused = useRefusal('manage_catalog');
  const [open, setOpen] = useState<Open>();
  const own = useScreenQuery(
    ProductFeaturesQuery,
    { id: productId },
    { types: ['ProductEntitlementEvent', 'FeatureEvent'] },
  );
  const all = useScreenQuery(FeaturesQuery, {}, { types: ['FeatureEvent'] });
  const rows = own.data?.product?.entitlements ?? [];
  const known = new Set(rows.map(({ feature }) => feature.key));
  const usable = (all.data?.features?.nodes ?? []).filter(({ archivedAt }) => archivedAt === null);
  const free = usable.filter(({ key }) => !known.has(key));
  const close = () => setOpen(undefined);
  const actions = (
    <>
      <Button look="quiet" refused={refused} onClick={() => setOpen({ name: 'create' })}>
        {t.create}
      </Button>
      {free.length > 0 && (
        <Button icon="plus" refused={refused} onClick={() => setOpen({ name: 'attach' })}>
          {t.attach}
        </Button>
      )}
    </>
  );
  return (
    <Section title={t.features} actions={actions}>
      <Attached rows={rows} refused={refused} onOpen={setOpen} />
      {open?.name === 'create' && <CreateFeatureDialog onClose={close} onDone={all.refetch} />}
      {(open?.name === 'attach' || open?.name === 'change') && (
        <AttachFeatureDialog
          productId={productId}
          features={open.name === 'attach' ? free : usable}
          attached={open.name === 'change' ? open.attached : undefined}
          onClose={close}
          onDone={own.refetch}
        />
      )}
      {open?.name === 'alerts' && (
        <FeatureAlertsDialog feature={open.attached.feature} onClose={close} onDone={own.refetch} />
      )}
      {open?.name === 'detach' && (
        <Detach productId={productId} attached={open.attached} onClose={close} onDone={own.refetch} />
      )}
    </Section>
  );
}

interface AttachedProps {
  rows: AttachedFeature[];
  refused: string | undefined;
  onOpen: (open: Open) => void;
}

function Attached({ rows, refused, onOpen }: AttachedProps) {
  const t = useTexts(texts);
  const write = useValues();
  return (
    <Table
      caption={t.features}
      rows={rows}
      rowKey={({ id }) => id}
      empty={t.none}
      columns={[
        { header: t.feature, cell: ({ feature }) => <span dir="auto">{feature.name}</span> },
        { header: t.key, cell: ({ feature }) => <code>{feature.key}</code> },
        {
          header: t.value,
          cell: ({ feature, value, timesQuantity }) => (
            <>
              {write(feature.kind, value)}{' '}
              {timesQuantity && <small className="soft">{t.timesQuantity}</small>}
            </>
          ),
        },
        { header: t.above, cell: (row) => <Above row={row} /> },
        ...(rows.some(({ feature }) => hasAlerts(feature))
          ? [{ header: t.alertsShort, cell: ({ feature }: AttachedFeature) => <Alerts feature={feature} /> }]
          : []),
        {
          header: t.since,
          cell: ({ reach, since }) => (
            <>
              <When at={since} /> {reach === 'next_period' && <small className="soft">{t.nextPeriod}</small>}
            </>
          ),
        },
        {
          header: t.actions,
          align: 'end',
          cell: (attached) => (
            <>
              <Button look="quiet" refused={refused} onClick={() => onOpen({ name: 'change', attached })}>
                {t.change}
              </Button>
              {hasAlerts(attached.feature) && (
                <Button look="quiet" refused={refused} onClick={() => onOpen({ name: 'alerts', attached })}>
                  {t.changeAlerts}
                </Button>
              )}
              <Button look="quiet" refused={refused} onClick={() => onOpen({ name: 'detach', attached })}>
                {t.detach}
              </Button>
            </>
          ),
        },
      ]}
    />
  );
}

/** Whether a feature can have alerts: those of a limit that a meter counts. */
const hasAlerts = ({ meterId, creditTypeId }: AttachedFeature['feature']): boolean =>
  meterId !== null || creditTypeId !== null;

/** The shares of a limit of which events tell. */
function Alerts({ feature: { alertPercents, usesTenantAlerts } }: { feature: AttachedFeature['feature'] }) {
  const t = useTexts(texts);
  const format = useFormat();
  if (alertPercents.length === 0) return <Nothing />;
  return (
    <>
      {format.list(alertPercents.map((percent) => format.percent(percent / 100)))}{' '}
      {usesTenantAlerts && <small className="soft">{t.fromSettings}</small>}
    </>
  );
}

/** What happens above a limit. */
function Above({ row: { feature, value, soft, overageLimit } }: { row: AttachedFeature }) {
  const t = useTexts(texts);
  const write = useValues();
  if (feature.kind !== 'limit' || value === null) return <Nothing />;
  if (!soft) return t.blocked;
  return overageLimit === null ? t.goesOn : t.goesOnBy(write('limit', overageLimit));
}

interface DetachProps {
  productId: string;
  attached: AttachedFeature;
  onClose: () => void;
  onDone: () => void;
}

function Detach({ productId, attached: { feature }, onClose, onDone }: DetachProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(DetachFeature);
  const { values, bind } = useForm<{ reach: Reach }>({ reach: 'now' }, action.problem);
  const input = { productId, feature: feature.key, reach: values.reach };
  const preview = useScreenQuery(PreviewDetachQuery, { input });
  const confirm = async () => {
    if (!(await action.run({ input }))) return;
    toast(t.detached(feature.name));
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.detachTitle(feature.name)}
      label={t.detach}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{t.detachText}</p>
      <ReachField bind={bind} />
      <Effect counts={preview.data?.previewDetachFeature} />
    </ConfirmAction>
  );
}

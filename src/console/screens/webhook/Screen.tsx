import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import type { Column } from '../../design/column.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { DataTable } from '../../design/DataTable.tsx';
import { Empty, Note, ProblemNote } from '../../design/Feedback.tsx';
import { Menu } from '../../design/Menu.tsx';
import { Page } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { useDeliveryWords } from '../../texts/deliveries.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { SecretDialog } from '../webhooks/SecretDialog.tsx';
import {
  DeleteEndpoint,
  DeliveriesQuery,
  RotateSecret,
  TestEndpoint,
  UpdateEndpoint,
  WebhookQuery,
  type DeliveryRow,
} from './query.ts';
import { texts } from './texts.ts';
import { deliveryTexts } from '../../texts/texts.ts';

const statuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;

/** One webhook endpoint and its deliveries. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const words = useTexts(deliveryTexts);
  const result = useScreenQuery(WebhookQuery, { id }, { ids: [id] });
  const endpoint = result.data?.webhookEndpoint;
  const variables = useMemo(() => ({ endpointId: id }), [id]);
  const columns = useColumns();
  return (
    <Page
      title={endpoint?.url ?? t.endpoint}
      parent={{ href: '/webhooks', title: t.parent }}
      layout="list"
      badge={
        endpoint && (
          <Status tone={endpoint.active ? 'good' : 'bad'}>{endpoint.active ? t.active : t.inactive}</Status>
        )
      }
      subtitle={
        endpoint && [endpoint.description, endpoint.events.join(', ') || t.all].filter(Boolean).join(' · ')
      }
      actions={endpoint && <Actions id={id} active={endpoint.active} />}
      request={{ document: DeliveriesQuery, variables: { ...variables, first: 50 } }}
    >
      {result.problem && <ProblemNote problem={result.problem} retry={result.refetch} />}
      {endpoint?.disabledReason && <Note tone="bad">{endpoint.disabledReason}</Note>}
      {endpoint?.previousSecretUntil && (
        <Note tone="waiting">
          {t.oldSecret} <When at={endpoint.previousSecretUntil} as="time" />
        </Note>
      )}
      <DataTable
        name="deliveries"
        caption={t.deliveries}
        document={DeliveriesQuery}
        connection={(data) => data.deliveries}
        variables={variables}
        columns={columns}
        filters={[
          {
            name: 'status',
            label: t.status,
            choices: statuses.map((value) => ({ value, label: words[value] })),
          },
        ]}
        href={(delivery) => `/deliveries/${delivery.id}`}
        empty={<Empty title={t.noDeliveries}>{t.noDeliveriesText}</Empty>}
      />
    </Page>
  );
}

function useColumns(): Column<DeliveryRow>[] {
  const t = useTexts(texts);
  const describe = useDeliveryWords();
  const format = useFormat();
  return [
    {
      id: 'type',
      header: t.type,
      cell: ({ type }) => <bdi>{type}</bdi>,
      csv: ({ type }) => type,
      width: 260,
    },
    {
      id: 'status',
      header: t.status,
      cell: (row) => {
        const { name, tone } = describe({ ...row, tries: row.attemptCount });
        return <Status tone={tone}>{name}</Status>;
      },
      csv: ({ status }) => status,
      width: 230,
    },
    {
      id: 'tries',
      header: t.tries,
      align: 'end',
      cell: ({ attemptCount }) => format.number(attemptCount),
      csv: ({ attemptCount }) => attemptCount,
      width: 90,
    },
    {
      id: 'next',
      header: t.next,
      cell: ({ nextAttemptAt }) => <When at={nextAttemptAt} as="future" />,
      csv: ({ nextAttemptAt }) => nextAttemptAt,
      width: 150,
    },
    {
      id: 'created',
      header: t.created,
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} as="time" />,
      csv: ({ createdAt }) => createdAt,
      width: 200,
    },
  ];
}

function Actions({ id, active }: { id: string; active: boolean }) {
  const t = useTexts(texts);
  const toast = useToast();
  const refusal = useRefusal('manage_webhooks');
  const test = useAction(TestEndpoint);
  const update = useAction(UpdateEndpoint);
  const [open, setOpen] = useState<'rotate' | 'remove'>();
  const problem = test.problem ?? update.problem;
  const send = async () => {
    if (await test.run({ id })) toast(t.tested);
  };
  const flip = async () => {
    if (await update.run({ id, input: { active: !active } })) toast(t.saved);
  };
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      <Button refused={refusal} busy={test.busy} onClick={() => void send()}>
        {t.test}
      </Button>
      <Menu
        look="plain"
        icon="more"
        aria-label={t.endpoint}
        entries={[
          { label: active ? t.switchOff : t.switchOn, refused: refusal, onSelect: () => void flip() },
          { label: t.rotate, refused: refusal, onSelect: () => setOpen('rotate') },
          'line',
          { label: t.remove, danger: true, refused: refusal, onSelect: () => setOpen('remove') },
        ]}
      />
      {open === 'rotate' && <Rotate id={id} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && <Remove id={id} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface AskProps {
  id: string;
  onClose: () => void;
}

function Rotate({ id, onClose }: AskProps) {
  const t = useTexts(texts);
  const action = useAction(RotateSecret);
  const [secret, setSecret] = useState<string>();
  const rotate = async () => setSecret((await action.run({ id }))?.rotateWebhookSecret?.secret);
  if (secret) return <SecretDialog secret={secret} onClose={onClose} />;
  return (
    <ConfirmAction
      title={t.rotate}
      label={t.rotate}
      action={action}
      onConfirm={() => void rotate()}
      onClose={onClose}
    >
      <p>{t.rotateText}</p>
    </ConfirmAction>
  );
}

function Remove({ id, onClose }: AskProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const action = useAction(DeleteEndpoint);
  const remove = async () => {
    if (!(await action.run({ id }))) return;
    toast(t.removed);
    navigate('/webhooks');
  };
  return (
    <ConfirmAction
      danger
      title={t.remove}
      label={t.remove}
      action={action}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
    </ConfirmAction>
  );
}

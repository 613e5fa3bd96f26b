import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { Page } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CreateEndpoint, WebhooksQuery, type EndpointRow } from './query.ts';
import { SecretDialog } from './SecretDialog.tsx';
import { EventChoice } from './EventChoice.tsx';
import { texts } from './texts.ts';

/** The list of webhook endpoints. */
export function Screen() {
  const t = useTexts(texts);
  const refusal = useRefusal('manage_webhooks');
  const [creating, setCreating] = useState(false);
  const create = (
    <Button look="main" icon="plus" refused={refusal} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  const columns: Column<EndpointRow>[] = [
    { id: 'url', header: t.url, cell: ({ url }) => <bdi>{url}</bdi>, csv: ({ url }) => url, width: 320 },
    {
      id: 'description',
      header: t.description,
      cell: ({ description }) => description,
      csv: ({ description }) => description,
      width: 200,
    },
    {
      id: 'events',
      header: t.events,
      cell: ({ events }) => events.join(', ') || t.all,
      csv: ({ events }) => events.join(' '),
      width: 220,
    },
    {
      id: 'status',
      header: t.status,
      cell: ({ active }) => <Status tone={active ? 'good' : 'bad'}>{active ? t.active : t.inactive}</Status>,
      csv: ({ active }) => String(active),
      width: 130,
    },
    {
      id: 'created',
      header: t.created,
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
      width: 120,
    },
  ];
  return (
    <Page
      title={t.title}
      layout="list"
      actions={create}
      request={{ document: WebhooksQuery, variables: { first: 50 } }}
    >
      <DataTable
        name="webhooks"
        caption={t.title}
        document={WebhooksQuery}
        connection={(data) => data.webhookEndpoints}
        columns={columns}
        href={({ id }) => `/webhooks/${id}`}
        follows={{ types: ['WebhookEvent'] }}
        empty={
          <Empty title={t.empty} action={create}>
            {t.emptyText}
          </Empty>
        }
      />
      {creating && <NewEndpoint onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NewEndpoint({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const [, navigate] = useLocation();
  const { run, busy, problem } = useAction(CreateEndpoint);
  const { values, bind } = useForm({ url: '', description: '' }, problem);
  const [events, setEvents] = useState<string[]>([]);
  const [created, setCreated] = useState<{ id: string; secret: string }>();
  const submit = async () => {
    const input = { url: values.url, description: values.description, ...(events.length > 0 && { events }) };
    const done = (await run({ input }))?.createWebhookEndpoint;
    if (done) setCreated({ id: done.endpoint.id, secret: done.secret });
  };
  if (created) {
    return <SecretDialog secret={created.secret} onClose={() => navigate(`/webhooks/${created.id}`)} />;
  }
  return (
    <FormDialog
      title={t.create}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.url} type="url" dir="ltr" hint={t.urlHint} required autoFocus {...bind('url')} />
      <Field label={t.description} {...bind('description')} />
      <EventChoice chosen={events} onChange={setEvents} />
    </FormDialog>
  );
}

import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useActionWords } from '../../billing/actions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Loaded, Note } from '../../design/Feedback.tsx';
import { TextArea } from '../../design/Field.tsx';
import { Json } from '../../design/Json.tsx';
import { Columns, Facts, Page, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Id, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ApprovalQuery, ApproveMutation, DeclineMutation, type ApprovalData } from './query.ts';
import { texts } from './texts.ts';

/** One request for an action: what it would do, who asked and why, and the decision. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const { writeOperation, describeStatus } = useActionWords();
  const follows = { ids: [id] };
  const result = useScreenQuery(ApprovalQuery, { id }, follows);
  const request = result.data?.actionRequest;
  const shown = request && describeStatus(request.status);
  return (
    <Page
      title={request ? writeOperation(request.operation) : t.title}
      parent={{ href: '/approvals', title: t.title }}
      badge={shown && <Status tone={shown.tone}>{shown.name}</Status>}
      actions={request?.status === 'pending' && <Decision request={request} refetch={result.refetch} />}
      request={{ document: ApprovalQuery, variables: { id } }}
    >
      <Loaded result={result}>
        {({ actionRequest: found }) =>
          found && (
            <Columns facts={<RequestFacts request={found} />}>
              {found.failure && <Note tone="bad">{found.failure.message}</Note>}
              <Amounts request={found} />
              <Section title={t.arguments}>
                <Json label={t.arguments} value={found.input} />
              </Section>
            </Columns>
          )
        }
      </Loaded>
    </Page>
  );
}

function Amounts({ request: { preview } }: { request: ApprovalData }) {
  const t = useTexts(texts);
  const { writeKind, writeAmount } = useActionWords();
  return (
    <Section title={t.preview}>
      {preview.amounts.length === 0 ? (
        <p>{t.noAmounts}</p>
      ) : (
        <Facts facts={preview.amounts.map((each) => [writeKind(each.kind), writeAmount(each)])} />
      )}
    </Section>
  );
}

function RequestFacts({ request }: { request: ApprovalData }) {
  const t = useTexts(texts);
  const { customer, decidedAt } = request;
  return (
    <Facts
      facts={[
        [t.asker, request.requestedByName ?? request.requestedBy],
        [t.reason, request.reason ?? undefined],
        [
          t.customer,
          customer ? (
            <Link href={`/customers/${customer.id}`}>
              {customer.firstName} {customer.lastName}
            </Link>
          ) : undefined,
        ],
        [t.requested, <When at={request.requestedAt} as="time" />],
        [t.expires, request.status === 'pending' ? <When at={request.expiresAt} as="future" /> : undefined],
        [t.decider, request.decidedByName ?? request.decidedBy ?? undefined],
        [t.decided, decidedAt ? <When at={decidedAt} as="time" /> : undefined],
        [t.declineReason, request.declineReason ?? undefined],
        [t.id, <Id id={request.id} />],
      ]}
    />
  );
}

/** The buttons, which name what is approved, and the question before it is done. */
function Decision({ request, refetch }: { request: ApprovalData; refetch: () => void }) {
  const t = useTexts(texts);
  const { operator } = useSession();
  const { writeAct } = useActionWords();
  const missing = useRefusal(request.permission ?? 'read');
  const refusal = request.requestedBy === `operator:${operator.id}` ? t.own : missing;
  const [asked, setAsked] = useState<'approve' | 'decline'>();
  const dialog = { request, refetch, onClose: () => setAsked(undefined) };
  return (
    <>
      <Button refused={refusal} onClick={() => setAsked('decline')}>
        {t.decline}
      </Button>
      <Button look="main" refused={refusal} onClick={() => setAsked('approve')}>
        {writeAct(request.operation, request.preview.amounts)}
      </Button>
      {asked === 'approve' && <Approve {...dialog} />}
      {asked === 'decline' && <Decline {...dialog} />}
    </>
  );
}

interface DecisionProps {
  request: ApprovalData;
  refetch: () => void;
  onClose: () => void;
}

function Approve({ request, refetch, onClose }: DecisionProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const { writeAct, writeKind, writeAmount } = useActionWords();
  const approve = useAction(ApproveMutation);
  const { id, operation, preview, reason, requestedBy, requestedByName } = request;
  const confirm = async () => {
    const done = await approve.run({ id, previewVersion: preview.version });
    // The new preview shows in the open dialog.
    refetch();
    if (!done) return;
    onClose();
    if (done.approveActionRequest?.status === 'approved') toast(t.approved);
  };
  return (
    <ConfirmAction
      title={t.approveTitle}
      label={writeAct(operation, preview.amounts)}
      action={approve}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{t.approveText(requestedByName ?? requestedBy)}</p>
      {reason && <p dir="auto">{reason}</p>}
      <Facts facts={preview.amounts.map((each) => [writeKind(each.kind), writeAmount(each)])} />
    </ConfirmAction>
  );
}

function Decline({ request: { id }, refetch, onClose }: DecisionProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const [reason, setReason] = useState('');
  const decline = useAction(DeclineMutation);
  const refuse = async () => {
    if (!(await decline.run({ id, reason: reason || null }))) return;
    onClose();
    toast(t.declined);
    refetch();
  };
  return (
    <ConfirmAction
      title={t.declineTitle}
      label={t.decline}
      action={decline}
      onConfirm={() => void refuse()}
      onClose={onClose}
    >
      <TextArea
        label={t.declineReason}
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </ConfirmAction>
  );
}

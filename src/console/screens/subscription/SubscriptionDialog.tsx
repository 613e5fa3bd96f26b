import { sumAmounts } from '../../billing/arithmetic.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { DiscountDialog } from '../../billing/DiscountDialog.tsx';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { CancelDialog } from './CancelDialog.tsx';
import { ChangeDialog } from './ChangeDialog.tsx';
import type { SubscriptionDialogProps } from './dialogProps.ts';
import type { SubscriptionActionName } from './SubscriptionActions.tsx';
import { texts } from './texts.ts';
import { ExtendTrialDialog } from './ExtendTrialDialog.tsx';
import { SpendAlertsDialog } from './SpendAlertsDialog.tsx';
import { PauseDialog } from './PauseDialog.tsx';
import { useOutcome } from './useOutcome.ts';

const UndoChange = graphql(`
  mutation CancelScheduledChange($id: ID!) {
    cancelScheduledChange(id: $id) {
      id
      status
    }
  }
`);

const Uncancel = graphql(`
  mutation UncancelSubscription($id: ID!) {
    uncancelSubscription(id: $id) {
      id
      status
      cancelAt
      cancelAtPeriodEnd
    }
  }
`);

const Resume = graphql(`
  mutation ResumeSubscription($id: ID!) {
    resumeSubscription(id: $id) {
      id
      status
      pausedAt
    }
  }
`);

const EndTrial = graphql(`
  mutation EndTrial($id: ID!) {
    endTrial(id: $id) {
      id
      status
      trialEndsAt
    }
  }
`);

const simple = {
  undoChange: UndoChange,
  uncancel: Uncancel,
  resume: Resume,
  endTrial: EndTrial,
};

type SimpleName = keyof typeof simple;
const isSimple = (name: SubscriptionActionName): name is SimpleName => name in simple;

/** The dialog of an action on a subscription. */
export function SubscriptionDialog({
  name,
  ...props
}: SubscriptionDialogProps & { name: SubscriptionActionName }) {
  if (isSimple(name)) return <SimpleDialog name={name} {...props} />;
  if (name === 'cancel') return <CancelDialog {...props} />;
  if (name === 'discount')
    return <DiscountDialog holder={{ subscriptionId: props.subscription.id }} {...props} />;
  if (name === 'pause') return <PauseDialog {...props} />;
  if (name === 'alerts') return <SpendAlertsDialog {...props} />;
  if (name === 'extendTrial') return <ExtendTrialDialog {...props} />;
  return <ChangeDialog {...props} />;
}

/** A dialog without fields: it says what happens. */
function SimpleDialog({ name, ...props }: SubscriptionDialogProps & { name: SimpleName }) {
  const { subscription, onClose, onDone } = props;
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction<unknown, { id: string }>(simple[name]);
  // Of a whole period, with the add-ons.
  const price = format.money(sumAmounts(subscription.items.map(({ agreedPrice }) => agreedPrice)));
  const notes = {
    undoChange: t.undoChangeNote(subscription.productName),
    uncancel: t.uncancelNote,
    resume: t.resumeNote(price),
    endTrial: t.endTrialNote(price),
  };
  const labels = {
    undoChange: t.undoChangeText,
    uncancel: t.uncancelText,
    resume: t.resumeText,
    endTrial: t.endTrialText(price),
  };
  const sayOutcome = useOutcome(props);
  const confirm = async () => {
    if (!(await action.run({ id: subscription.id }))) return;
    toast(await sayOutcome(t[`${name}Done`]));
    onDone();
  };
  return (
    <ConfirmAction
      title={t[name]}
      label={labels[name]}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{notes[name]}</p>
    </ConfirmAction>
  );
}

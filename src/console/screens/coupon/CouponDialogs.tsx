import { texts as billingTexts } from '../../billing/texts.ts';
import { useAction } from '../../data/action.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Field } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { UpdateCode, UpdateCoupon, type CodeData, type CouponData } from './query.ts';
import { texts } from './texts.ts';

/** What can be done on the screen of a coupon. */
export type CouponAction =
  { name: 'rename' } | { name: 'archive' } | { name: 'createCode' } | { name: 'switchCode'; code: CodeData };

interface DialogProps {
  coupon: CouponData;
  onClose: () => void;
  onDone: () => void;
}

/** The dialog of an action that changes what is there. */
export function CouponDialog({
  action,
  ...props
}: DialogProps & { action: Exclude<CouponAction, { name: 'createCode' }> }) {
  if (action.name === 'rename') return <Rename {...props} />;
  return action.name === 'archive' ? <Archive {...props} /> : <SwitchCode code={action.code} {...props} />;
}

function Rename({ coupon, onClose, onDone }: DialogProps) {
  const t = useTexts(texts);
  const words = useTexts(billingTexts);
  const toast = useToast();
  const action = useAction(UpdateCoupon);
  const { values, bind } = useForm({ name: coupon.name, lookupKey: coupon.lookupKey ?? '' }, action.problem);
  const save = async () => {
    if (!(await action.run({ id: coupon.id, input: { ...values, lookupKey: orNull(values.lookupKey) } })))
      return;
    toast(t.saved);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.rename}
      label={t.save}
      action={action}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <Field label={t.name} hint={t.nameHint} required autoFocus maxLength={200} {...bind('name')} />
      <Field label={words.lookupKey} hint={words.lookupKeyHint} maxLength={200} {...bind('lookupKey')} />
      <p className="soft">{t.fixedTerms}</p>
    </ConfirmAction>
  );
}

function Archive({ coupon: { id, name, active }, onClose, onDone }: DialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(UpdateCoupon);
  const archive = async () => {
    if (!(await action.run({ id, input: { active: !active } }))) return;
    toast(active ? t.archivedToast(name) : t.restoredToast(name));
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger={active}
      title={active ? t.archiveTitle(name) : t.restoreTitle(name)}
      label={active ? t.archive : t.restore}
      action={action}
      onConfirm={() => void archive()}
      onClose={onClose}
    >
      <p>{active ? t.archiveText : t.restoreText}</p>
    </ConfirmAction>
  );
}

function SwitchCode({ code, onClose, onDone }: DialogProps & { code: CodeData }) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(UpdateCode);
  const change = async () => {
    if (!(await action.run({ id: code.id, input: { active: !code.active } }))) return;
    toast(t.saved);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger={code.active}
      title={code.active ? t.deactivateTitle(code.code) : t.activateTitle(code.code)}
      label={code.active ? t.deactivate : t.activate}
      action={action}
      onConfirm={() => void change()}
      onClose={onClose}
    >
      <p>{code.active ? t.deactivateText : t.activateText}</p>
    </ConfirmAction>
  );
}

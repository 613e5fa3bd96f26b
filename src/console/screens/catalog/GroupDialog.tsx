import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Checkbox, Field } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CreateGroup, DeleteGroup, UpdateGroup, type GroupRow } from './query.ts';
import { texts } from './texts.ts';

interface GroupDialogProps {
  /** Undefined for a new one. */
  group: GroupRow | undefined;
  onClose: () => void;
  onDone: () => void;
}

/** The dialog that creates, changes or deletes a product group. */
export function GroupDialog({ group, onClose, onDone }: GroupDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const create = useAction(CreateGroup);
  const update = useAction(UpdateGroup);
  const remove = useAction(DeleteGroup);
  const problem = create.problem ?? update.problem ?? remove.problem;
  const initial = { name: group?.name ?? '', prorateUpgrades: group?.prorateUpgrades ?? false };
  const { values, bind, check } = useForm(initial, problem);
  const finish = (done: unknown, text: string) => {
    if (!done) return;
    toast(text);
    onDone();
    onClose();
  };
  const submit = async () =>
    finish(
      group ? await update.run({ id: group.id, input: values }) : await create.run({ input: values }),
      group ? t.saved : t.createdToast(values.name),
    );
  const erase = async ({ id, name }: GroupRow) => finish(await remove.run({ id }), t.deletedToast(name));
  return (
    <Dialog
      title={group ? group.name : t.newGroup}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          {group && (
            <Button look="danger" busy={remove.busy} onClick={() => void erase(group)}>
              {t.deleteGroup}
            </Button>
          )}
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="main" busy={create.busy || update.busy}>
            {group ? t.save : t.newGroup}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <Field label={t.name} required autoFocus {...bind('name')} />
      <Checkbox label={t.prorate} hint={t.prorateHint} {...check('prorateUpgrades')} />
    </Dialog>
  );
}

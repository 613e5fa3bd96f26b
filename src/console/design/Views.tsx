import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useAction } from '../data/action.tsx';
import { graphql } from '../data/graphql.ts';
import { useSession } from '../data/session.tsx';
import { useTexts } from '../texts/language.tsx';
import { FormDialog } from './FormDialog.tsx';
import { Field } from './Field.tsx';
import { Menu } from './Menu.tsx';
import { texts } from './texts.ts';
import { useToast } from './Toasts.tsx';

const SaveViews = graphql(`
  mutation SaveViews($list: String!, $views: [SavedViewInput!]!) {
    saveViews(input: { list: $list, views: $views }) {
      id
    }
  }
`);

/** The saved views of a list: each is its filters, its order and its columns, which the address holds. */
export function Views({ list }: { list: string }) {
  const t = useTexts(texts);
  const { membership, refresh } = useSession();
  const toast = useToast();
  const action = useAction(SaveViews);
  const [parameters, setParameters] = useSearchParams();
  const [saving, setSaving] = useState(false);
  const views = (membership?.views ?? [])
    .filter((view) => view.list === list)
    .map(({ name, query }) => ({ name, query }));
  const query = parameters.toString();
  const current = views.find((view) => view.query === query);
  const replace = async (changed: typeof views) => {
    const done = await action.run({ list, views: changed });
    if (done) refresh();
    return done !== undefined;
  };
  const remove = async (name: string) => {
    if (await replace(views.filter((view) => view.name !== name))) toast(t.viewRemoved(name));
  };
  return (
    <>
      <Menu
        look="quiet"
        icon="down"
        entries={[
          ...views.map((view) => ({
            label: view.name,
            checked: view === current,
            onSelect: () => setParameters(new URLSearchParams(view.query)),
          })),
          ...(views.length > 0 ? (['line'] as const) : []),
          { label: t.saveView, icon: 'plus', onSelect: () => setSaving(true) },
          ...(current
            ? [{ label: t.removeView(current.name), danger: true, onSelect: () => void remove(current.name) }]
            : []),
        ]}
      >
        {current?.name ?? t.views}
      </Menu>
      {saving && (
        <SaveDialog
          problem={action.problem}
          busy={action.busy}
          onClose={() => {
            action.clear();
            setSaving(false);
          }}
          onSave={async (name) => {
            const others = views.filter((view) => view.name !== name);
            if (!(await replace([...others, { name, query }]))) return;
            setSaving(false);
            toast(t.viewSaved(name));
          }}
        />
      )}
    </>
  );
}

interface SaveDialogProps {
  problem: ReturnType<typeof useAction>['problem'];
  busy: boolean;
  onClose: () => void;
  onSave: (name: string) => Promise<void>;
}

function SaveDialog({ problem, busy, onClose, onSave }: SaveDialogProps) {
  const t = useTexts(texts);
  const [name, setName] = useState('');
  return (
    <FormDialog
      title={t.saveView}
      label={t.save}
      busy={busy}
      problem={problem}
      refused={name.trim() ? undefined : t.nameFirst}
      onSubmit={() => name.trim() !== '' && !busy && onSave(name.trim())}
      onClose={onClose}
    >
      <Field
        label={t.name}
        hint={t.viewHint}
        required
        value={name}
        maxLength={60}
        path="views"
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  );
}

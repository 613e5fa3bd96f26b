import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { graphql, type ResultOf } from '../../data/graphql.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { TextArea } from '../../design/Field.tsx';
import { Section } from '../../design/Page.tsx';
import { PageForm } from '../../design/PageForm.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import { noteTexts as texts } from './texts.ts';
import './lines.css';

const CustomerNotesQuery = graphql(`
  query CustomerNotes($id: ID!, $after: String) {
    customerNotes(customerId: $id, first: 20, after: $after, order: DESC) {
      nextCursor
      nodes {
        id
        text
        authorId
        authorName
        createdAt
        updatedAt
      }
    }
  }
`);

const CreateNote = graphql(`
  mutation CreateCustomerNote($customerId: ID!, $text: String!) {
    createCustomerNote(input: { customerId: $customerId, text: $text }) {
      id
    }
  }
`);

const UpdateNote = graphql(`
  mutation UpdateCustomerNote($id: ID!, $text: String!) {
    updateCustomerNote(id: $id, input: { text: $text }) {
      id
      text
      updatedAt
    }
  }
`);

const DeleteNote = graphql(`
  mutation DeleteCustomerNote($id: ID!) {
    deleteCustomerNote(id: $id) {
      id
    }
  }
`);

type NoteData = NonNullable<ResultOf<typeof CustomerNotesQuery>['customerNotes']>['nodes'][number];

const longest = 5000;

/** The notes about a customer, the newest first, which the customer never sees. */
export function Notes({ customerId }: { customerId: string }) {
  const t = useTexts(texts);
  const [pages, setPages] = useState<(string | undefined)[]>([undefined]);
  const after = pages.at(-1);
  const { data, refetch } = useScreenQuery(
    CustomerNotesQuery,
    { id: customerId, after },
    { ids: [customerId] },
  );
  const next = data?.customerNotes?.nextCursor;
  return (
    <Section title={t.notes}>
      <NewNote customerId={customerId} onDone={refetch} />
      {data?.customerNotes?.nodes.map((note) => (
        <NoteView key={note.id} note={note} onDone={refetch} />
      ))}
      {pages.length > 1 && <Button onClick={() => setPages(pages.slice(0, -1))}>{t.newer}</Button>}
      {next && <Button onClick={() => setPages([...pages, next])}>{t.older}</Button>}
    </Section>
  );
}

function NewNote({ customerId, onDone }: { customerId: string; onDone: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const refused = useRefusal('manage_customers');
  const action = useAction(CreateNote);
  const [text, setText] = useState('');
  const save = async () => {
    if (!(await action.run({ customerId, text }))) return;
    setText('');
    toast(t.saved);
    onDone();
  };
  if (refused) return null;
  return (
    <PageForm problem={action.problem} onSubmit={() => save()}>
      <TextArea
        label={t.newNote}
        hint={t.unseen}
        rows={2}
        maxLength={longest}
        value={text}
        {...findRefusal(action.problem, 'text')}
        onChange={({ target }) => setText(target.value)}
      />
      {text.trim() !== '' && (
        <div>
          <Button type="submit" busy={action.busy}>
            {t.add}
          </Button>
        </div>
      )}
    </PageForm>
  );
}

/** A note, with what its author and those who change settings may do with it. */
function NoteView({ note, onDone }: { note: NoteData; onDone: () => void }) {
  const t = useTexts(texts);
  const { operator } = useSession();
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const lacksRight = useRefusal('manage_settings');
  const isOwn = note.authorId === `operator:${operator.id}`;
  const refused = isOwn ? undefined : lacksRight;
  const close = () => setDialog(undefined);
  return (
    <article className="stack">
      <p className="note-text" dir="auto">
        {note.text}
      </p>
      <p className="row soft">
        <span>
          <bdi>{isOwn ? t.you : (note.authorName ?? note.authorId)}</bdi>, <When at={note.createdAt} />
          {note.updatedAt !== note.createdAt && (
            <>
              {' '}
              ({t.edited} <When at={note.updatedAt} />)
            </>
          )}
        </span>
        <Button look="quiet" refused={refused} onClick={() => setDialog('edit')}>
          {t.edit}
        </Button>
        <Button look="quiet" refused={refused} onClick={() => setDialog('delete')}>
          {t.remove}
        </Button>
      </p>
      {dialog === 'edit' && <EditNote note={note} onClose={close} onDone={onDone} />}
      {dialog === 'delete' && <RemoveNote note={note} onClose={close} onDone={onDone} />}
    </article>
  );
}

interface NoteDialogProps {
  note: NoteData;
  onClose: () => void;
  onDone: () => void;
}

function EditNote({ note, onClose, onDone }: NoteDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(UpdateNote);
  const [text, setText] = useState(note.text);
  const save = async () => {
    if (!(await action.run({ id: note.id, text }))) return;
    toast(t.saved);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.editTitle}
      label={t.save}
      refused={text.trim() === '' ? t.textFirst : undefined}
      action={action}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <TextArea
        label={t.note}
        hint={t.unseen}
        rows={6}
        maxLength={longest}
        value={text}
        {...findRefusal(action.problem, 'text')}
        onChange={({ target }) => setText(target.value)}
      />
    </ConfirmAction>
  );
}

function RemoveNote({ note, onClose, onDone }: NoteDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(DeleteNote);
  const remove = async () => {
    if (!(await action.run({ id: note.id }))) return;
    toast(t.removed);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.removeTitle}
      label={t.remove}
      action={action}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
    </ConfirmAction>
  );
}

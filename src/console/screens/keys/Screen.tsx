import { useState, type ReactNode } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import type { Column } from '../../design/column.ts';
import { DataTable } from '../../design/DataTable.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Empty, Note, ProblemNote } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CreateKeyDialog } from './CreateKeyDialog.tsx';
import type { GrantablePermission } from './permissions.ts';
import { KeysQuery, RevokeKey, type KeyRow } from './query.ts';
import { texts } from './texts.ts';
import './keys.css';

const tones = { active: 'good', expired: 'neutral', revoked: 'neutral' } as const;

/** The API keys of the tenant. */
export function Screen() {
  const t = useTexts(texts);
  const refusal = useRefusal('manage_keys');
  const [creating, setCreating] = useState(false);
  const create = (
    <Button look="main" icon="plus" refused={refusal} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page
      title={t.title}
      layout="list"
      actions={create}
      request={{ document: KeysQuery, variables: { first: 50 } }}
    >
      {refusal ? <Note>{refusal}</Note> : <Keys onEmpty={create} />}
      {creating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

type Texts = ReturnType<typeof useTexts<(typeof texts)['en']>>;

/** When a key begins and ends. */
const listEnds = (t: Texts, onRevoke: (key: KeyRow) => void): Column<KeyRow>[] => [
  {
    id: 'expires',
    header: t.expires,
    cell: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} /> : t.never),
    csv: ({ expiresAt }) => expiresAt,
    width: 80,
  },
  {
    id: 'created',
    header: t.created,
    cell: ({ createdAt }) => <When at={createdAt} />,
    csv: ({ createdAt }) => createdAt,
    width: 85,
  },
  {
    id: 'revoked',
    header: t.revoked,
    align: 'end',
    cell: (key) =>
      key.status === 'active' ? (
        <Button look="quiet" aria-label={`${t.revoke}: ${key.name ?? key.id}`} onClick={() => onRevoke(key)}>
          {t.revoke}
        </Button>
      ) : (
        key.revokedAt && <When at={key.revokedAt} />
      ),
    csv: ({ revokedAt }) => revokedAt,
    width: 110,
  },
];

const listColumns = (t: Texts, onRevoke: (key: KeyRow) => void): Column<KeyRow>[] => [
  {
    id: 'name',
    header: t.name,
    cell: ({ name }) => (name ? <bdi>{name}</bdi> : <Nothing />),
    csv: ({ name }) => name,
    width: 110,
  },
  {
    id: 'key',
    header: t.key,
    cell: ({ prefix }) => <code dir="ltr">{prefix}…</code>,
    csv: ({ prefix }) => prefix,
    width: 170,
  },
  {
    id: 'scope',
    header: t.scope,
    cell: (key) => <Rights {...key} />,
    csv: ({ kind, scope, hasOwnPermissions, permissions }) =>
      kind === 'publishable' ? kind : hasOwnPermissions ? permissions.join(' ') : scope,
    width: 170,
  },
  {
    id: 'status',
    header: t.status,
    cell: ({ status }) => <Status tone={tones[status]}>{t[status]}</Status>,
    csv: ({ status }) => status,
    width: 90,
  },
  {
    id: 'used',
    header: t.used,
    cell: ({ lastUsedAt, lastUsedFrom }) =>
      lastUsedAt ? (
        <div>
          <When at={lastUsedAt} as="past" />
          {lastUsedFrom && (
            <small className="soft keys-detail">
              <bdi>{lastUsedFrom}</bdi>
            </small>
          )}
        </div>
      ) : (
        t.never
      ),
    csv: ({ lastUsedAt }) => lastUsedAt,
    width: 105,
  },
  {
    id: 'refused',
    header: t.refused,
    cell: ({ lastRefusal }) => (lastRefusal ? <Refusal {...lastRefusal} /> : <Nothing />),
    csv: ({ lastRefusal }) => lastRefusal && (lastRefusal.permission ?? lastRefusal.address),
    width: 115,
  },
  ...listEnds(t, onRevoke),
];

/** What a key may do, and from where. */
function Rights({ kind, scope, hasOwnPermissions, permissions, ipAllowlist }: KeyRow) {
  const t = useTexts(texts);
  if (kind === 'publishable') return t.publishable;
  const own = permissions.map((each) => t.permission[each as GrantablePermission]).join(', ');
  return (
    <div className="keys-rights">
      {hasOwnPermissions ? own : t[scope]}
      {ipAllowlist.length > 0 && (
        <small className="soft keys-detail">
          {t.from} <bdi>{ipAllowlist.join(', ')}</bdi>
        </small>
      )}
    </div>
  );
}

/** What a key was last refused. */
function Refusal({ at, permission, address }: NonNullable<KeyRow['lastRefusal']>) {
  const t = useTexts(texts);
  const what = permission ? (t.permission[permission as GrantablePermission] ?? t.forOperators) : address;
  return (
    <div>
      <bdi>{what}</bdi>
      <small className="soft keys-detail">
        <When at={at} as="past" />
      </small>
    </div>
  );
}

function Keys({ onEmpty }: { onEmpty: ReactNode }) {
  const t = useTexts(texts);
  const [revoking, setRevoking] = useState<KeyRow>();
  return (
    <>
      <DataTable
        name="api-keys"
        caption={t.title}
        document={KeysQuery}
        connection={(data) => data.apiKeys}
        columns={listColumns(t, setRevoking)}
        follows={{ types: ['ApiKeyEvent'] }}
        empty={
          <Empty title={t.empty} action={onEmpty}>
            {t.emptyText}
          </Empty>
        }
      />
      {revoking && <Revoke apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

function Revoke({ apiKey, onClose }: { apiKey: KeyRow; onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(RevokeKey);
  const label = apiKey.name ?? apiKey.id;
  const revoke = async () => {
    if (!(await run({ id: apiKey.id }))?.revokeApiKey) return;
    toast(t.revokedToast(label));
    onClose();
  };
  return (
    <Dialog
      title={t.revokeTitle(label)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="danger" busy={busy} onClick={() => void revoke()}>
            {t.revokeNow}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <p>{t.revokeText}</p>
      <p className="soft">
        {t.used}: {apiKey.lastUsedAt ? <When at={apiKey.lastUsedAt} as="past" /> : t.never}
      </p>
    </Dialog>
  );
}

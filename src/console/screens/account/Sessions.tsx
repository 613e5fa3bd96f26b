import { useAction } from '../../data/action.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RevokeOtherSessions, RevokeSession, type Account } from './query.ts';
import { texts } from './texts.ts';

/** The browsers in which the operator is signed in. */
export function Sessions({ account, refetch }: { account: Account; refetch: () => void }) {
  const t = useTexts(texts);
  const { signedOut } = useSession();
  const revoke = useAction(RevokeSession);
  const revokeOthers = useAction(RevokeOtherSessions);
  const problem = revoke.problem ?? revokeOthers.problem;
  const end = async (session: Account['sessions'][number]) => {
    if (!(await revoke.run({ id: session.id }))) return;
    if (session.isCurrent) signedOut();
    else refetch();
  };
  return (
    <Section
      title={t.sessions}
      actions={
        account.sessions.length > 1 && (
          <Button
            look="danger"
            busy={revokeOthers.busy}
            onClick={() => void revokeOthers.run({}).then((done) => done && refetch())}
          >
            {t.revokeOthers}
          </Button>
        )
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <Table
        caption={t.sessions}
        rows={account.sessions}
        rowKey={({ id }) => id}
        columns={[
          {
            header: t.browser,
            cell: ({ userAgent, isCurrent }) => (
              <span className="row">
                {nameBrowser(userAgent) ?? <Nothing />}
                {isCurrent && <Status tone="good">{t.thisOne}</Status>}
              </span>
            ),
          },
          { header: t.address, cell: ({ address }) => address ?? <Nothing /> },
          { header: t.created, cell: ({ createdAt }) => <When at={createdAt} as="time" /> },
          { header: t.lastSeen, cell: ({ lastSeenAt }) => <When at={lastSeenAt} as="past" /> },
          { header: t.expires, cell: ({ expiresAt }) => <When at={expiresAt} as="time" /> },
          {
            header: t.actions,
            align: 'end',
            cell: (session) => (
              <Button look="danger" busy={revoke.busy} onClick={() => void end(session)}>
                {t.revoke}
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
];

/** Shortens a user agent to the browser and the system: Firefox, Linux. */
function nameBrowser(userAgent: string | null): string | undefined {
  const find = (names: [RegExp, string][]) => names.find(([form]) => form.test(userAgent ?? ''))?.[1];
  return [find(browsers), find(systems)].filter(Boolean).join(', ') || userAgent?.slice(0, 40);
}

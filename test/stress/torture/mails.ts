import { startMailServer } from '../../support/mailServer.ts';
import { advance, createAsk, openServer, sleep, type Ask } from './server.ts';

interface TortureSettings {
  /** The built program. */
  program: string;
  database: string;
  env?: Record<string, string>;
  mails: number;
  kills: number;
  /** How many of a hundred attempts are refused for the time being. */
  failing: number;
  say?: (line: string) => void;
}

interface TortureFigures {
  queued: number;
  /** Mails that the server accepted, by their message ids. */
  accepted: number;
  /** Queued, and never accepted. */
  lost: number;
  /** Accepted more than once: the process was killed between the reply and its record. */
  repeated: number;
  attempts: number;
  refused: number;
  kills: number;
  /** Mails that the log does not show as sent. */
  unfinished: number;
}

const perRequest = 50;

/**
 * A mail server that refuses now and then, and a program that is killed with its work half done: every mail must be
 * accepted, and a repeated one must have the same message id.
 */
export async function tortureMails(settings: TortureSettings): Promise<TortureFigures> {
  const { mails, kills, failing, env, say = () => {} } = settings;
  const mailServer = await startMailServer();
  let state = 12_345;
  let refused = 0;
  const chance = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  mailServer.reply(() => {
    if (chance() * 100 >= failing) return undefined;
    refused += 1;
    return '451 4.3.0 try again later';
  });
  const smtp = { PERENNIAL_SMTP_URL: mailServer.url, PERENNIAL_MAIL_FROM: 'billing@sender.example' };
  const server = await openServer({ ...settings, env: { ...env, ...smtp } });
  const ask = createAsk(server);
  const messageIds: string[] = [];
  let killed = 0;
  for (let queued = 0; queued < mails; queued += perRequest) {
    messageIds.push(...(await queueMails(ask, Math.min(perRequest, mails - queued))));
    if (killed === kills || messageIds.length < ((killed + 1) * mails) / (kills + 1)) continue;
    killed += 1;
    await server.kill();
    say(`kill -9 no. ${killed} at ${messageIds.length} mails queued, ${mailServer.mails.length} accepted`);
    await server.start();
  }
  const accepted = new Map<string, number>();
  const count = () => {
    for (const { messageId } of mailServer.mails.splice(0))
      accepted.set(messageId!, (accepted.get(messageId!) ?? 0) + 1);
    mailServer.sources.length = 0;
    return messageIds.filter((id) => !accepted.has(id)).length;
  };
  // The clock of a test tenant is stopped: refused mails are attempted again when it advances.
  // So is the second attempt at a mail that was accepted just before the kill.
  const isDone = async () => count() === 0 && (await countPending(ask)) === 0;
  for (let day = 0, last = -1; day < 60 && !(await isDone()); day++) {
    for (; last !== mailServer.attempts.length; await sleep(1500)) last = mailServer.attempts.length;
    await advance(ask, 24);
    await sleep(1500);
  }
  const unfinished = await countPending(ask);
  const lost = count();
  await server.kill();
  await mailServer.close();
  return {
    queued: messageIds.length,
    accepted: accepted.size,
    lost,
    repeated: [...accepted.values()].filter((times) => times > 1).length,
    attempts: mailServer.attempts.length,
    refused,
    kills: killed,
    unfinished,
  };
}

async function queueMails(ask: Ask, count: number): Promise<string[]> {
  const fields = Array.from(
    { length: count },
    (_, index) => `m${index}: sendTestMail(input: { to: "to${index}@example.com" }) { messageId }`,
  );
  const made: Record<string, { messageId: string }> = await ask(`mutation { ${fields.join(' ')} }`);
  return Object.values(made).map(({ messageId }) => messageId);
}

const countPending = async (ask: Ask): Promise<number> =>
  (await ask('{ mailDeliveries(first: 100, status: pending) { nodes { id } } }')).mailDeliveries.nodes.length;

import { expect, onTestFinished, test } from 'vitest';
import type { SMTPServerOptions } from 'smtp-server';
import { perennial } from '../../support/cli.ts';
import { scratchDatabase } from '../../support/engines.ts';
import { startMailServer } from '../../support/mailServer.ts';

const password = 'a-password-that-is-not-shown';

const strict: SMTPServerOptions = {
  authOptional: false,
  allowInsecureAuth: true,
  onAuth: ({ password: given }, _, callback) =>
    given === password ? callback(null, { user: 'ada' }) : callback(new Error('Wrong password')),
};

const servers = {
  'accepts mail': { options: {}, user: '', found: undefined },
  'accepts the password': { options: strict, user: `ada:${password}@`, found: undefined },
  'refuses the password': { options: strict, user: `ada:${password}1@`, found: /cannot be used: .*535/ },
  'has ended': { options: {}, user: '', found: /cannot be used: connection_failed/, ended: true },
};

test.each(Object.entries(servers))('doctor tries a mail server that %s', async (_, row) => {
  const scratch = await scratchDatabase();
  onTestFinished(() => scratch.drop());
  const server = await startMailServer(row.options);
  if ('ended' in row) await server.close();
  else onTestFinished(() => server.close());

  const { code, out, err } = await perennial(scratch.url, ['doctor', '--json'], {
    PERENNIAL_SMTP_URL: server.url.replace('smtp://', `smtp://${row.user}`),
    PERENNIAL_MAIL_FROM: 'Acme <billing@acme.example>',
  });

  const found = (JSON.parse(out) as { findings: { check: string; found: string }[] }).findings;
  expect(out + err).not.toContain(password);
  expect(code).toBe(row.found ? 1 : 0);
  expect(found.map(({ check }) => check)).toEqual(row.found ? ['mail_server'] : []);
  if (row.found) expect(found[0]!.found).toMatch(row.found);
  expect(server.mails).toEqual([]);
});

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { taxIdParsers } from '../../src/lib/taxIds.ts';

/** How VIES behaves for a VAT id. */
export type Behaviour =
  | 'valid'
  | 'invalid'
  | 'malformed'
  | 'state_unavailable'
  | 'busy'
  | 'failing'
  | 'garbage'
  | 'huge'
  | 'other_id'
  | 'user_error'
  | 'redirect'
  | 'reset'
  | 'silent'
  | 'private'
  | 'hostile';

type Question = {
  countryCode: string;
  vatNumber: string;
  requesterMemberStateCode?: string;
  requesterNumber?: string;
};

const wrap = (error: string) => ({ actionSucceed: false, errorWrappers: [{ error }] });

const send = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));

const buildAnswer = ({ countryCode, vatNumber, requesterNumber }: Question, valid: boolean) => ({
  countryCode,
  vatNumber,
  requestDate: '2026-05-19T12:25:12.544Z',
  valid,
  requestIdentifier: requesterNumber ? `WAPI-${vatNumber}` : '',
  name: valid ? 'ACME SAS' : '---',
  address: valid ? '1 RUE DE LA PAIX\n75002 PARIS' : '---',
});

const behave: Record<Behaviour, (response: ServerResponse, question: Question) => void> = {
  valid: (response, question) => send(response, 200, buildAnswer(question, true)),
  invalid: (response, question) => send(response, 200, buildAnswer(question, false)),
  malformed: (response) => send(response, 400, wrap('INVALID_INPUT')),
  state_unavailable: (response) => send(response, 200, wrap('MS_UNAVAILABLE')),
  busy: (response) => send(response, 200, wrap('MS_MAX_CONCURRENT_REQ')),
  failing: (response) => send(response, 500, { valid: true }),
  garbage: (response) => send(response, 200, '<html>{"valid": true}'),
  huge: (response, question) =>
    send(response, 200, { ...buildAnswer(question, true), name: 'x'.repeat(100_000) }),
  other_id: (response, question) => send(response, 200, buildAnswer({ ...question, vatNumber: '1' }, true)),
  user_error: (response, question) =>
    send(response, 200, { ...buildAnswer(question, false), userError: 'MS_UNAVAILABLE' }),
  redirect: (response) => send(response, 302, '', { location: '/elsewhere' }),
  reset: (response) => response.destroy(),
  silent: () => {},
  // Germany and Spain tell neither name nor address.
  private: (response, question) =>
    send(response, 200, { ...buildAnswer(question, true), name: '---', address: '' }),
  hostile: (response, question) =>
    send(response, 200, {
      ...buildAnswer(question, true),
      requestIdentifier: 'WAPI\u0000\uD800-1',
      name: `\u202Ea\u0000<b>\uD83D${'x'.repeat(1000)}`,
      address: { line: 1 },
    }),
};

export type FakeVies = Awaited<ReturnType<typeof startVies>>;

/** Starts a server with the interface of VIES, which knows every id unless a test says otherwise. */
export async function startVies() {
  const behaviours = new Map<string, Behaviour>();
  const questions: Question[] = [];
  const refusedRequesters = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST' || request.url !== '/rest-api/check-vat-number')
        return send(response, 404, {});
      const question = JSON.parse(Buffer.concat(chunks).toString()) as Question;
      questions.push(question);
      if (question.requesterNumber && refusedRequesters.has(question.requesterNumber))
        return send(response, 400, wrap('INVALID_REQUESTER_INFO'));
      return behave[behaviours.get(question.countryCode + question.vatNumber) ?? 'valid'](response, question);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/rest-api`,
    questions,
    /** The questions about an id. */
    about: (vatId: string) =>
      questions.filter(({ countryCode, vatNumber }) => countryCode + vatNumber === vatId),
    set: (vatId: string, behaviour: Behaviour) => behaviours.set(vatId, behaviour),
    refuseRequester: (vatId: string) => refusedRequesters.add(vatId.slice(2)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

let lastSiren = 300_000_000;

/** Returns a well-formed French VAT id that no other test uses. */
export function createFrenchVatId(): string {
  for (;;) {
    lastSiren += 1;
    for (let key = 0; key < 97; key++) {
      const id = `FR${String(key).padStart(2, '0')}${lastSiren}`;
      if (taxIdParsers.eu_vat(id) !== undefined) return id;
    }
  }
}

/**
 * VIES, the register of VAT ids of the European Commission, over its REST interface
 * (https://ec.europa.eu/assets/taxud/vow-information/swagger_publicVAT.yaml).
 */
import * as z from 'zod';
import { createAttemptLimit } from '../lib/attemptLimit.ts';
import type { Clock } from '../lib/clock.ts';
import { minuteMs } from '../lib/durations.ts';

/** The answer to a question about a VAT id. */
export interface VatIdAnswer {
  status: 'valid' | 'invalid' | 'unavailable';
  /** The consultation number that proves the question, if the requester is known. */
  consultation: string | null;
  /** To whom the id belongs, as far as the member state tells. */
  name: string | null;
  address: string | null;
}

/** A register of VAT ids. */
export interface VatRegister {
  /**
   * Asks about a well-formed VAT id, its country's letters first, for a seller with the VAT id `requester`. Never rejects:
   * without a response in time the answer is `unavailable`.
   */
  ask(vatId: string, requester?: string): Promise<VatIdAnswer>;
  /**
   * As `ask`, but asks at once: a known answer does not count, nor the pause of a member state. Equal questions under way
   * still share one call, and those of a tenant are limited. Error: `rate_limited`.
   */
  askNow(tenantAlias: string, vatId: string, requester?: string): Promise<VatIdAnswer>;
  /** Returns how many of `most` ids with a known answer may be asked about again in this minute, and counts them as asked. */
  takeRepeats(most: number): number;
}

/** The settings of the client. */
export interface ViesSettings {
  /** The base URL: `https://ec.europa.eu/taxation_customs/vies/rest-api`. */
  url: string;
  clock: Clock;
  /** The time limit of a question. */
  timeoutMs?: number;
  /** The first pause after a member state did not answer; it doubles with each further failure. */
  firstPauseMs?: number;
  /** How long an answer is used for the same question, so that several customers with one id cause one question. */
  cachedForMs?: number;
}

// A payer waits during the question.
const defaultTimeoutMs = 5000;
const defaultFirstPauseMs = 5000;
const longestPauseMs = 600_000;
const defaultCachedForMs = 60_000;
const mostCached = 1000;
const mostResponseBytes = 64 * 1024;
const longestConsultation = 100;
/** How many questions at once a tenant may ask in a minute. */
const mostAtOncePerMinute = 60;

/** How many ids with a known answer this server asks about again in a minute, for all tenants. */
const mostRepeatsPerMinute = 60;
const longestName = 300;

const none = { consultation: null, name: null, address: null };
const unavailable: VatIdAnswer = { status: 'unavailable', ...none };

/**
 * Creates the client of VIES. Equal questions share one call. A member state that does not answer is not asked during a
 * pause, because VIES limits the questions about each state.
 */
export function createVies(settings: ViesSettings): VatRegister {
  const { clock, firstPauseMs = defaultFirstPauseMs, cachedForMs = defaultCachedForMs } = settings;
  const underWay = new Map<string, Promise<VatIdAnswer>>();
  const answers = new Map<string, { answer: VatIdAnswer; untilMs: number }>();
  const pauses = new Map<string, { untilMs: number; failures: number }>();

  const record = (key: string, country: string, answer: VatIdAnswer) => {
    const nowMs = clock.nowMs();
    if (answer.status === 'unavailable') {
      // A question during the pause, or one of several at once, does not make it longer.
      if (nowMs < (pauses.get(country)?.untilMs ?? 0)) return;
      const failures = (pauses.get(country)?.failures ?? 0) + 1;
      const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
      pauses.set(country, { untilMs: nowMs + pauseMs, failures });
      return;
    }
    pauses.delete(country);
    if (answers.size >= mostCached) answers.clear();
    answers.set(key, { answer, untilMs: nowMs + cachedForMs });
  };

  const countAtOnce = createAttemptLimit(mostAtOncePerMinute, 60, () => clock.nowMs());

  const call = async (key: string, country: string, vatId: string, requester?: string) => {
    try {
      const answer = await callVies(settings, vatId, requester);
      record(key, country, answer);
      return answer;
    } finally {
      underWay.delete(key);
    }
  };
  /** Joins the same question under way, or calls after `begin`, which may answer instead or throw. */
  const askOnce = async (
    vatId: string,
    requester: string | undefined,
    begin: (key: string, country: string) => VatIdAnswer | undefined,
  ) => {
    const key = `${vatId} ${requester ?? ''}`;
    const country = vatId.slice(0, 2);
    const present = underWay.get(key);
    if (present) return present;
    const known = begin(key, country);
    if (known) return known;
    const started = call(key, country, vatId, requester);
    underWay.set(key, started);
    return started;
  };

  return {
    ask: (vatId, requester) =>
      askOnce(vatId, requester, (key, country) => {
        const known = answers.get(key);
        if (known && clock.nowMs() < known.untilMs) return known.answer;
        return clock.nowMs() < (pauses.get(country)?.untilMs ?? 0) ? unavailable : undefined;
      }),
    askNow: (tenantAlias, vatId, requester) =>
      askOnce(vatId, requester, () => {
        countAtOnce(tenantAlias);
        return undefined;
      }),
    takeRepeats: createRepeats(clock),
  };
}

/** Returns a function that counts the ids that are asked about again, up to a number in each minute. */
function createRepeats(clock: Clock): VatRegister['takeRepeats'] {
  let repeats = { minute: -1, left: 0 };
  return (most) => {
    const minute = Math.floor(clock.nowMs() / minuteMs);
    if (repeats.minute !== minute) repeats = { minute, left: mostRepeatsPerMinute };
    const taken = Math.min(most, repeats.left);
    repeats.left -= taken;
    return taken;
  };
}

const success = z.object({
  countryCode: z.string().nullish(),
  vatNumber: z.string().nullish(),
  valid: z.boolean(),
  requestIdentifier: z.string().max(longestConsultation).nullish(),
  name: z.unknown(),
  address: z.unknown(),
  userError: z.string().nullish(),
});
const failure = z.object({ errorWrappers: z.array(z.object({ error: z.string() })).min(1) });

/** The values of `userError` in a response that has decided about the id. */
const decided = new Set(['', 'VALID', 'INVALID']);

async function callVies(
  { url, timeoutMs = defaultTimeoutMs }: ViesSettings,
  vatId: string,
  requester: string | undefined,
): Promise<VatIdAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  const question = { countryCode: vatId.slice(0, 2), vatNumber: vatId.slice(2) };
  const from = requester && {
    requesterMemberStateCode: requester.slice(0, 2),
    requesterNumber: requester.slice(2),
  };
  try {
    const response = await post(url, { ...question, ...from }, signal);
    // The seller's own id may be unknown to VIES; the question is permitted without it.
    const isRefused = from && readError(response) === 'INVALID_REQUESTER_INFO';
    return readAnswer(isRefused ? await post(url, question, signal) : response, question);
  } catch {
    return unavailable;
  }
}

async function post(url: string, body: object, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(`${url}/check-vat-number`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal,
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostResponseBytes) throw new Error('The response is too large.');
    chunks.push(chunk);
  }
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (!response.ok && readError(parsed) === undefined) throw new Error(`The status is ${response.status}.`);
  return parsed;
}

const readError = (response: unknown): string | undefined =>
  failure.safeParse(response).data?.errorWrappers[0]!.error;

function readAnswer(response: unknown, question: { countryCode: string; vatNumber: string }): VatIdAnswer {
  if (readError(response) === 'INVALID_INPUT') return { status: 'invalid', ...none };
  const { data } = success.safeParse(response);
  if (!data || !decided.has(data.userError ?? '')) return unavailable;
  const { countryCode, vatNumber, valid, requestIdentifier, name, address } = data;
  const isOther =
    (countryCode ?? question.countryCode) !== question.countryCode ||
    (vatNumber ?? question.vatNumber) !== question.vatNumber;
  if (isOther) return unavailable;
  return {
    status: valid ? 'valid' : 'invalid',
    consultation: readText(requestIdentifier),
    name: readText(name),
    address: readText(address),
  };
}

/** Returns a text as one line that both databases store; null without one. Member states that tell nothing write hyphens. */
function readText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const line = value
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, longestName)
    .toWellFormed();
  return /^-*$/.test(line) ? null : line;
}

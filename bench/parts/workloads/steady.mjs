// A load client that asks at a steady rate, however fast the answers come, until its input ends.
// `node steady.mjs REQUESTS_A_SECOND PORT FILE` prints one line of JSON then.
import { readRequests } from '../load/requests.mjs';
import { connection, isSuccess } from './sockets.mjs';

// So many that they are not what is measured, and opened when they are wanted: a server hangs up on those that say nothing.
const mostConnections = 256;
const tickMs = 1;

const [rate, port, file] = process.argv.slice(2);
const requestOf = readRequests(file);
const free = [];
let opened = 0;
const waiting = [];
// When each was answered, as milliseconds since 1970, and after how many milliseconds.
const answeredAtMs = [];
const latenciesMs = [];
let refused = 0;
let asked = 0;
let sent = 0;
const begunAt = performance.now();
const timer = setInterval(ask, tickMs);

// It also ends when whoever began it is gone.
process.stdin.resume().once('end', () => {
  clearInterval(timer);
  const result = JSON.stringify({ refused, answeredAtMs, latenciesMs });
  process.stdout.write(`${result}\n`, () => process.exit());
});

/** A request that finds no connection free waits, and its latency with it: else a server that stalls would look well. */
function ask() {
  const now = performance.now();
  for (const due = ((now - begunAt) / 1000) * Number(rate); asked < due; asked++) waiting.push(now);
  while (waiting.length > 0 && (free.length > 0 || opened < mostConnections)) {
    void send(free.shift() ?? open(), waiting.shift(), sent++);
  }
}

function open() {
  opened++;
  return connection(port);
}

async function send(through, dueAt, number) {
  try {
    const answer = await through.exchange(requestOf(number));
    const now = performance.now();
    answeredAtMs.push(Math.round(performance.timeOrigin + now));
    latenciesMs.push(Math.round((now - dueAt) * 1000) / 1000);
    if (!isSuccess(answer)) refused++;
    free.push(through);
  } catch {
    refused++;
    opened--;
  }
  if (waiting.length > 0) ask();
}

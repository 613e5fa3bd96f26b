// A load client with a steady rate, independent of response times, until its input ends. `node steady.mjs
// REQUESTS_A_SECOND PORT FILE` then prints one line of JSON.
import { readRequests } from '../load/requests.mjs';
import { connectTo, isSuccess } from './sockets.mjs';

// Enough connections not to limit the rate. They are opened on demand, because servers close idle ones.
const mostConnections = 256;
const tickMs = 1;

const [rate, port, file] = process.argv.slice(2);
const getRequest = readRequests(file);
const free = [];
let opened = 0;
const waiting = [];
// The time of each response in milliseconds since 1970, and its latency in milliseconds.
const answeredAtMs = [];
const latenciesMs = [];
let refused = 0;
let asked = 0;
let sent = 0;
const begunAt = performance.now();
const timer = setInterval(sendRequest, tickMs);

// Input also ends when the parent process exits.
process.stdin.resume().once('end', () => {
  clearInterval(timer);
  const result = JSON.stringify({ refused, answeredAtMs, latenciesMs });
  process.stdout.write(`${result}\n`, () => process.exit());
});

/**
 * Sends a request. If no connection is free, the waiting time counts as latency; otherwise a server that stalls
 * would look fast.
 */
function sendRequest() {
  const now = performance.now();
  for (const due = ((now - begunAt) / 1000) * Number(rate); asked < due; asked++) waiting.push(now);
  while (waiting.length > 0 && (free.length > 0 || opened < mostConnections)) {
    void send(free.shift() ?? open(), waiting.shift(), sent++);
  }
}

function open() {
  opened++;
  return connectTo(port);
}

async function send(through, dueAt, number) {
  try {
    const answer = await through.exchange(getRequest(number));
    const now = performance.now();
    answeredAtMs.push(Math.round(performance.timeOrigin + now));
    latenciesMs.push(Math.round((now - dueAt) * 1000) / 1000);
    if (!isSuccess(answer)) refused++;
    free.push(through);
  } catch {
    refused++;
    opened--;
  }
  if (waiting.length > 0) sendRequest();
}

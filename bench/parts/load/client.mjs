// A load client for machines without wrk. Each connection sends its next request after the response to the last.
// `node client.mjs CONNECTIONS SECONDS PORT FILE FROM` prints one line of JSON.
import { readFileSync } from 'node:fs';
import { idMark, readRequests } from './requests.mjs';
import { connectTo, isSuccess, computePercentile } from '../workloads/sockets.mjs';

const [connections, seconds, port, file, from] = process.argv.slice(2);
const getRequest = readRequests(file);
const follow = readFileSync(`${file}.follow`, 'utf8');
const latenciesMs = [];
const waiting = [];
let number = Number(from);
let refused = 0;
const begunAt = performance.now();
const endsAt = begunAt + Number(seconds) * 1000;

await Promise.all(Array.from({ length: Number(connections) }, sendUntilTheEnd));
latenciesMs.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    answered: latenciesMs.length,
    seconds: (performance.now() - begunAt) / 1000,
    refused,
    number,
    p50Ms: computePercentile(latenciesMs, 0.5),
    p99Ms: computePercentile(latenciesMs, 0.99),
  }),
);

async function sendUntilTheEnd() {
  const { exchange, close } = connectTo(port);
  while (performance.now() < endsAt) {
    const sentAt = performance.now();
    const answer = await exchange(nextRequest());
    latenciesMs.push(performance.now() - sentAt);
    if (!isSuccess(answer)) refused++;
    if (follow) note(answer);
  }
  close();
}

function nextRequest() {
  const id = waiting.shift();
  if (id) return follow.replaceAll(idMark, id);
  number++;
  return getRequest(number);
}

function note(answer) {
  const [, id] = /"intentId":"(int_[0-9a-z]+)"/.exec(answer) ?? [];
  if (id) waiting.push(id);
}

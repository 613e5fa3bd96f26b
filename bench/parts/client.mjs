// A load client for machines without wrk: raw requests over plain sockets, one at a time on each.
// `node client.mjs CONNECTIONS SECONDS PORT FILE FROM` prints one line of JSON.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { idMark, numberMark } from './load.mjs';

const [connections, seconds, port, file, from] = process.argv.slice(2);
const requests = readFileSync(file, 'utf8').split('\0').slice(0, -1);
const follow = readFileSync(`${file}.follow`, 'utf8');
const latenciesMs = [];
const waiting = [];
let number = Number(from);
let refused = 0;
const begunAt = performance.now();
const endsAt = begunAt + Number(seconds) * 1000;

await Promise.all(Array.from({ length: Number(connections) }, sendUntilTheEnd));
latenciesMs.sort((a, b) => a - b);
const percentile = (share) => latenciesMs[Math.floor((latenciesMs.length - 1) * share)];
console.log(
  JSON.stringify({
    answered: latenciesMs.length,
    seconds: (performance.now() - begunAt) / 1000,
    refused,
    number,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  }),
);

async function sendUntilTheEnd() {
  const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true });
  const exchange = exchangesOn(socket);
  while (performance.now() < endsAt) {
    const sentAt = performance.now();
    const answer = await exchange(nextRequest());
    latenciesMs.push(performance.now() - sentAt);
    if (!answer.startsWith('HTTP/1.1 2')) refused++;
    if (follow) note(answer);
  }
  socket.destroy();
}

function nextRequest() {
  const id = waiting.shift();
  if (id) return follow.replaceAll(idMark, id);
  number++;
  return requests[number % requests.length].replaceAll(numberMark, String(number).padStart(9, '0'));
}

function note(answer) {
  const [, id] = /"intentId":"(int_[0-9a-z]+)"/.exec(answer) ?? [];
  if (id) waiting.push(id);
}

/** Sends bytes and resolves with the whole answer. */
function exchangesOn(socket) {
  let answer = '';
  let resolve;
  let reject;
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    answer += chunk;
    if (isWhole(answer)) resolve(answer);
  });
  socket.on('error', (error) => reject?.(error));
  return (request) =>
    new Promise((...handlers) => {
      [resolve, reject] = handlers;
      answer = '';
      socket.write(request);
    });
}

function isWhole(answer) {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer) ?? [];
  return length ? answer.length >= end + 4 + Number(length) : answer.endsWith('0\r\n\r\n');
}

// Sends raw requests over plain sockets, one at a time on each.
import { connect } from 'node:net';

/** Connects. Returns a function that sends bytes and waits for the complete response, and one that disconnects. */
export function connectTo(port) {
  const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true });
  let answer = '';
  let resolve;
  let reject;
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    answer += chunk;
    if (isWhole(answer)) resolve?.(answer);
  });
  socket.on('error', (error) => reject?.(error));
  socket.on('close', () => reject?.(new Error('The server has hung up.')));
  const exchange = (request) =>
    new Promise((...handlers) => {
      [resolve, reject] = handlers;
      answer = '';
      socket.write(request);
    });
  return { exchange, close: () => socket.destroy() };
}

export const isSuccess = (answer) => answer.startsWith('HTTP/1.1 2');

/** Returns the percentile of sorted latencies; `share` is from 0 to 1. */
export const computePercentile = (sorted, share) => sorted[Math.floor((sorted.length - 1) * share)];

function isWhole(answer) {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer) ?? [];
  return length ? answer.length >= end + 4 + Number(length) : answer.endsWith('0\r\n\r\n');
}

/**
 * Sends requests at the same moment, each on its own connection. A separate process, so that the service needn't share
 * its core. Reads `{ port, requests: [text] }` as JSON from standard input. Prints the status and the duration in
 * milliseconds of each response (status 0: the connection broke).
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';

const { port, requests } = await json(process.stdin);

const sockets = await Promise.all(
  requests.map(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }),
);
const startedAt = performance.now();
const responses = sockets.map((socket, index) => {
  let head = '';
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    if (head.length < 100) head += text;
  });
  socket.write(requests[index]);
  return new Promise((resolve) => {
    const end = () => resolve({ status: Number(head.slice(9, 12)), ms: performance.now() - startedAt });
    socket.once('end', end).once('error', () => resolve({ status: 0, ms: performance.now() - startedAt }));
  });
});
console.log(JSON.stringify(await Promise.all(responses)));
for (const socket of sockets) socket.destroy();

/**
 * Requests one URL over many connections, and prints the requests per second. A separate process, so that the service
 * needn't share its core. `node load.mjs <url> <connections> <seconds>`, with the token in `TOKEN`.
 */
import { Agent, get } from 'node:http';

const [url, connections, seconds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const headers = { Authorization: `Bearer ${process.env.TOKEN}` };

const ask = () =>
  new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response.resume();
      response.once('error', reject).once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    }).once('error', reject);
  });

/**
 * Keeps all connections busy.
 * @returns requests per second
 */
async function load(duration) {
  const startedAt = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - startedAt < duration * 1000) {
        await ask();
        count += 1;
      }
    }),
  );
  return (count * 1000) / (performance.now() - startedAt);
}

await load(seconds / 3);
console.log(await load(seconds));
agent.destroy();

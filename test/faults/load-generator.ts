/**
 * A separate process that sends requests over plain sockets at low cost, and prints the results as JSON. Its argument is
 * a {@link Load} as JSON.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';

/**
 * A request that is sent with each of its tokens and bodies in turn. The pairs differ until each token was combined with
 * each body.
 */
export interface Request {
  method?: 'GET' | 'POST';
  path: string;
  /** Empty for anonymous requests. */
  tokens: readonly string[];
  bodies?: readonly object[];
  /** Value of X-Forwarded-For for the nth request. */
  forwardedFor?: readonly string[];
  /** Index of the first pair of token and body. */
  from?: number;
}

export interface Load {
  port: number;
  /** File with a JSON list of {@link Request}s, which are sent in turn. */
  requestsFile: string;
  durationMs: number;
  /** Ends earlier after this number of responses. */
  count?: number;
  /**
   * Either a number of concurrent clients, each with one request at a time, or a rate of requests per second, whether or
   * not they are answered.
   */
  clients?: number;
  rate?: number;
}

export interface LoadResult {
  good: number;
  /** 503 with Retry-After. */
  shed: number;
  other: number;
  /** Other results, by status or by the error of the connection. */
  others: Record<string, number>;
  /** Number of unsent requests, because the generator could not keep up. */
  unsent: number;
  /** Milliseconds that the oldest request without a response has waited at the end. */
  oldest: number;
  seconds: number;
  /** Durations of good responses, in milliseconds. */
  p50: number;
  p99: number;
}

/** Maximum number of open sockets. */
const maxSockets = 1500;

const load = JSON.parse(process.argv[2] ?? '') as Load;
const requests = JSON.parse(readFileSync(load.requestsFile, 'utf8')) as readonly Request[];

/**
 * Returns a function that creates the bytes of the next repetition of a request. Requests without a body are prepared
 * once.
 */
function writer({ method = 'GET', path, tokens, bodies, forwardedFor, from = 0 }: Request): () => Buffer {
  const turns = Math.max(1, tokens.length);
  const head = (turn: number) => {
    const token = tokens[turn];
    return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}`;
  };
  const plain = Array.from({ length: turns }, (_, turn) => Buffer.from(`${head(turn)}\r\n`));
  let sent = from;
  return () => {
    const turn = sent % turns;
    const body = bodies && JSON.stringify(bodies[(turn + Math.floor(sent / turns)) % bodies.length]);
    const origin = forwardedFor ? `X-Forwarded-For: ${forwardedFor[sent % forwardedFor.length]}\r\n` : '';
    sent += 1;
    if (body === undefined) return plain[turn] ?? Buffer.alloc(0);
    const about = `${origin}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    return Buffer.from(`${head(turn)}${about}\r\n\r\n${body}`);
  };
}

const writers = requests.map(writer);
const result: LoadResult = {
  good: 0,
  shed: 0,
  other: 0,
  others: {},
  unsent: 0,
  oldest: 0,
  seconds: load.durationMs / 1000,
  p50: 0,
  p99: 0,
};
const times: number[] = [];
const idle: Socket[] = [];
let open = 0;
let next = 0;
let over = false;

function count(head: string, ms: number): void {
  const status = head.slice(9, 12);
  if (status === '200' || status === '201') {
    result.good += 1;
    times.push(ms);
  } else if (status === '503' && /\r\nretry-after: \d/i.test(head)) result.shed += 1;
  else countOther(status);
  if (result.good + result.shed + result.other === load.count) finish();
}

function countOther(what: string): void {
  result.other += 1;
  result.others[what] = (result.others[what] ?? 0) + 1;
}

/** Opens a connection. `answered` is called after each complete response. */
function openSocket(answered: (socket: Socket) => void): Socket {
  const socket = connect(load.port, '127.0.0.1');
  open += 1;
  let head = '';
  let missing = 0;
  socket.setNoDelay(true);
  socket.on('data', (data) => {
    if (missing === 0) {
      head += data.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]) - (head.length - end - 4);
    } else missing -= data.length;
    if (missing > 0) return;
    if (!over) count(head, performance.now() - (sentAt.get(socket) ?? 0));
    head = '';
    missing = 0;
    sentAt.delete(socket);
    answered(socket);
  });
  let end = 'closed';
  socket.on('error', (error) => {
    end = error.message;
  });
  socket.on('close', () => {
    open -= 1;
    if (sentAt.has(socket) && !over) countOther(end);
  });
  return socket;
}

const sentAt = new Map<Socket, number>();
// Low priority, because real clients run on other machines and don't slow the service down. Not set at the start of the
// process, which would take a quarter of a minute beside busy programs.
setPriority(19);
const startedAt = performance.now();

function sendNext(socket: Socket): void {
  if (next === load.count) return;
  sentAt.set(socket, performance.now());
  socket.write(writers[next % writers.length]?.() ?? '');
  next += 1;
}

function closedLoop(clients: number): void {
  for (let client = 0; client < clients; client += 1) sendNext(openSocket((socket) => void (over || sendNext(socket))));
}

function openLoop(rate: number): void {
  const from = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    if (over) return clearInterval(timer);
    const due = Math.floor(((performance.now() - from) / 1000) * rate);
    for (; sent < due; sent += 1) {
      let socket = idle.pop();
      while (socket?.destroyed) socket = idle.pop();
      if (!socket && open >= maxSockets) {
        result.unsent += 1;
        continue;
      }
      sendNext(socket ?? openSocket((free) => void idle.push(free)));
    }
  }, 5);
}

if (load.rate === undefined) closedLoop(load.clients ?? 1);
else openLoop(load.rate);
/** Prints the results, and ends. */
function finish(): void {
  over = true;
  result.seconds = Math.min(load.durationMs, performance.now() - startedAt) / 1000;
  times.sort((one, other) => one - other);
  const quantile = (share: number) => Math.round(10 * (times[Math.floor(times.length * share)] ?? 0)) / 10;
  const oldest = Math.round(performance.now() - Math.min(performance.now(), ...sentAt.values()));
  console.log(JSON.stringify({ ...result, oldest, p50: quantile(0.5), p99: quantile(0.99) }));
  process.exit(0);
}
setTimeout(finish, load.durationMs);

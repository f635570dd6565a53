import { Agent } from 'node:http';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { systemErrorCode } from '../../../src/errors.js';
import type { Operation } from '../../../src/http/api/operation.js';
import { type Contract, contract } from '../../../src/http/api/operations/contract.js';
import type { Context } from '../../../src/services/context.js';
import { type RawResponse, sendRaw } from '../../support/raw-http.js';
import { compile, descriptionOf } from './described.js';
import { operations } from './examples.js';
import { anyRequest, type GeneratedRequest, requestsFor, type Sender } from './fuzz-requests.js';
import { fillPlaceholders, prepareWorld, signInAgain, type World } from './fuzz-world.js';

type Name = keyof Contract;
type Sent = Omit<GeneratedRequest, 'name'>;

/** Number of concurrent requests. */
const concurrency = 8;
/** Number of requests before the database is created again. */
const chunk = 250;
/** Number of extra rounds, and requests per round, for an operation that has not succeeded. */
const maxRounds = 20;
const perRound = 60;
/** Maximum number of problems, after which the test stops. */
const enough = 20;

const routes = operations.map(([name, { method, path }]) => ({
  name,
  method: method.toUpperCase(),
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`),
}));

/** Returns the operation that serves a request: the first matching path, with the method of the request. */
function operationAt({ method, path: target }: Sent): Name | undefined {
  const [path = ''] = target.split('?');
  const first = routes.find(({ pattern }) => pattern.test(path))?.path;
  return routes.find((route) => route.path === first && route.method === method)?.name;
}

const checks = new Map<string, ValidateFunction>();

function checkFor(name: Name, status: number): ValidateFunction | undefined {
  const described = descriptionOf(contract[name])?.responses[status]?.content['application/json'];
  if (!described) return undefined;
  const key = `${name} ${status}`;
  const check = checks.get(key) ?? compile(described.schema);
  checks.set(key, check);
  return check;
}

const failure = compile({ $ref: '#/components/schemas/Error' });

/**
 * Whether Node's server refuses the request before the program sees it, with a bare response or by closing the connection.
 */
const isRefusedUnread = ({ path, headers }: Sent) =>
  /[^\x21-\x7e]/.test(path) || (path + JSON.stringify(headers)).length > 15_000;

const isUnread = ({ status, text }: RawResponse, request: Sent) =>
  text === '' && (status === 431 || status === 400) && isRefusedUnread(request);

const successOf = (name: Name | undefined): Operation['success'] | undefined => name && contract[name].success;

/** Returns the problem of a response; undefined if the response is as declared. */
function problemOf(name: Name | undefined, request: Sent, response: RawResponse): string | undefined {
  const { status, headers, text } = response;
  // A 503 is also a fault, because nothing is unavailable or overloaded.
  if (status >= 500) return 'a fault of the service';
  if (request.method === 'HEAD') return text === '' ? undefined : 'a body where there may be none';
  if (isUnread(response, request)) return undefined;
  // This request is a preflight.
  if (request.method === 'OPTIONS' && status === 200 && request.path.startsWith('/api')) return undefined;
  const type = String(headers['content-type']);
  const success = successOf(name);
  if (success && 'content' in success && status === success.status) {
    const isDeclared = type.startsWith(success.content) || type === success.otherContent;
    return success.content === '*/*' || isDeclared ? undefined : `Content-Type is ${type}`;
  }
  if (!name && status < 400) return 'a success of no operation';
  if (!type.startsWith('application/json')) return `Content-Type is ${type}`;
  const body: unknown = JSON.parse(text);
  if (!name) return failure(body) ? undefined : 'not a failure as described';
  const check = checkFor(name, status);
  if (!check) return 'a status that is not declared';
  return check(body) ? undefined : `not as described: ${JSON.stringify(check.errors)}`;
}

function shown({ sender, method, path, headers, body }: Sent): string {
  const parts = [sender, method, path, JSON.stringify(headers), body?.subarray(0, 1000).toString('latin1') ?? ''];
  return parts.map((part) => (part.length > 1000 ? `${part.slice(0, 1000)}…` : part)).join('\n    ');
}

/** The tested service. */
interface Target {
  context: Context;
  url: string;
  /** Returns the log lines since the last call. */
  takeLog(): string;
}

/** Sends generated requests and checks every response. The same seed generates the same requests. */
export class Fuzzing {
  sent = 0;
  /** Number of requests that Node's server refused before the program saw them. */
  unread = 0;
  /** Operations with a response, and operations with a successful response. */
  readonly met = new Set<Name>();
  readonly succeeded = new Set<Name>();
  /** Problems with their requests. */
  readonly problems: string[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  /** Senders that an earlier request has signed out, deactivated or deleted. */
  private readonly refused = new Set<Sender>();

  constructor(private readonly target: Target) {}

  /** @param toSucceed operations that get more requests until they have succeeded once */
  async run(requests: number, seed: number, toSucceed: readonly Name[]): Promise<void> {
    for (let from = 0; from < requests && this.problems.length < enough; from += chunk)
      await this.attackWith(fc.sample(anyRequest, { numRuns: Math.min(chunk, requests - from), seed: seed + from }));
    for (let round = 0; round < maxRounds && this.problems.length < enough; round += 1) {
      const rare = toSucceed.filter((name) => !this.succeeded.has(name));
      if (rare.length === 0) break;
      const sample = { numRuns: perRound, seed: seed + requests + round };
      await this.attackWith(rare.flatMap((name) => fc.sample(requestsFor(name, contract[name]), sample)));
    }
    this.agent.destroy();
  }

  private async attackWith(queue: GeneratedRequest[]): Promise<void> {
    const world = await prepareWorld(this.target.context);
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await this.attack(next, world);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  private async attack(generated: GeneratedRequest, world: World): Promise<void> {
    const { context, url, takeLog } = this.target;
    if (this.refused.delete(generated.sender)) await signInAgain(context, world, generated.sender);
    const request = fillPlaceholders(generated, world);
    const name = operationAt(request);
    this.sent += 1;
    try {
      const response = await sendRaw(url, { ...request, agent: this.agent });
      if (response.status === 401 && generated.headers.authorization === undefined) this.refused.add(generated.sender);
      if (isUnread(response, request)) this.unread += 1;
      else if (name) {
        this.met.add(name);
        if (response.status === contract[name].success.status) this.succeeded.add(name);
      }
      const problem = problemOf(name, request, response);
      if (problem === undefined) return;
      const message = `${response.status} ${response.text.slice(0, 300)}`;
      this.problems.push(`${generated.name}: ${problem}: ${message}\n    ${shown(request)}\n${takeLog()}`);
    } catch (error) {
      const isCut = systemErrorCode(error) === 'ECONNRESET';
      if (isCut && isRefusedUnread(request)) this.unread += 1;
      // A CSV export ends when another request ends the session of its reader.
      else if (!(isCut && isTable(name) && (await sendRaw(url, request)).status === 401))
        this.problems.push(`${generated.name}: ${String(error)}\n    ${shown(request)}`);
    }
  }
}

function isTable(name: Name | undefined): boolean {
  const success = successOf(name);
  return success !== undefined && 'content' in success && success.content === 'text/csv';
}

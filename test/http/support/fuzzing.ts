import { Agent } from 'node:http';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Context } from '../../../src/context.js';
import { systemErrorCode } from '../../../src/errors.js';
import { contract } from '../../../src/http/api/contract.js';
import { type RawAnswer, sendRaw } from '../../support/raw-http.js';
import { compile, describedBy } from './described.js';
import { operations } from './examples.js';
import { aimedAt, anyRequest, type Generated, type Sender } from './fuzz-requests.js';
import { grounded, prepareWorld, signInAgain, type World } from './fuzz-world.js';

export interface FuzzOptions {
  requests: number;
  seed: number;
  /** Operations that get more requests until one of each has succeeded. */
  toSucceed?: readonly (keyof typeof contract)[];
}

export interface FuzzResult {
  sent: number;
  /** Refused by Node's server before the program saw them. */
  unread: number;
  /** Of each operation: how many requests it answered, and how many of them with success. */
  met: Map<keyof typeof contract, { answered: number; succeeded: number }>;
  /** What was wrong, with the request that did it. */
  problems: string[];
}

/** Concurrent requests. */
const concurrency = 8;
/** Requests before the world is put in order again. */
const chunk = 250;
/** How often an operation that hasn't succeeded by chance gets more requests, and how many. */
const maxRounds = 20;
const perRound = 60;
/** After so many problems it is known well enough that there are some. */
const enough = 20;

const routes = operations.map(([name, { method, path }]) => ({
  name,
  method: method.toUpperCase(),
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`),
}));

/** The operation that answers, whatever the request was aimed at: of the first path that fits, the one with its method. */
function operationAt(method: string, target: string): keyof typeof contract | undefined {
  const [path = ''] = target.split('?');
  const first = routes.find(({ pattern }) => pattern.test(path))?.path;
  return routes.find((route) => route.path === first && route.method === method)?.name;
}

const checks = new Map<string, ValidateFunction>();

function checkFor(name: keyof typeof contract, status: number): ValidateFunction | undefined {
  const described = describedBy(contract[name])?.responses[status]?.content['application/json'];
  if (!described) return undefined;
  const key = `${name} ${status}`;
  const check = checks.get(key) ?? compile(described.schema);
  checks.set(key, check);
  return check;
}

const failure = compile({ $ref: '#/components/schemas/Error' });

/** Whether Node's server refuses it before the program sees it, by a bare answer or by hanging up. */
function isRefusedUnread({ path, headers }: Pick<Generated, 'path' | 'headers'>): boolean {
  const head = path + JSON.stringify(headers);
  return /[^\x21-\x7e]/.test(path) || head.length > 15_000;
}

const isUnread = ({ status, text }: RawAnswer, request: Pick<Generated, 'path' | 'headers'>) =>
  text === '' && (status === 431 || status === 400) && isRefusedUnread(request);

/** What is wrong with an answer; nothing when all is as declared. */
function problemOf(
  name: keyof typeof contract | undefined,
  { method, path, headers: sent }: Pick<Generated, 'method' | 'path' | 'headers'>,
  answer: RawAnswer,
): string | undefined {
  const { status, headers, text } = answer;
  // Nothing is down or overloaded: a 503 would be a fault as well.
  if (status >= 500) return 'a fault of the service';
  if (method === 'HEAD') return text === '' ? undefined : 'a body where there may be none';
  if (isUnread(answer, { path, headers: sent })) return undefined;
  // A preflight.
  if (method === 'OPTIONS' && status === 200 && path.startsWith('/api')) return undefined;
  const type = String(headers['content-type']);
  const success = name && contract[name].success;
  if (success && 'content' in success && status === success.status) {
    const { content } = success;
    return content === '*/*' || type.startsWith(content) ? undefined : `Content-Type is ${type}`;
  }
  if (!name && status < 400) return 'a success of no operation';
  if (!type.startsWith('application/json')) return `Content-Type is ${type}`;
  const body: unknown = JSON.parse(text);
  if (!name) return failure(body) ? undefined : 'not a failure as described';
  const check = checkFor(name, status);
  if (!check) return 'a status that is not declared';
  return check(body) ? undefined : `not as described: ${JSON.stringify(check.errors)}`;
}

function isTable(name: keyof typeof contract | undefined): boolean {
  const success = name && contract[name].success;
  return success !== undefined && 'content' in success && success.content === 'text/csv';
}

function shown({ sender, method, path, headers, body }: Omit<Generated, 'name'>): string {
  const parts = [sender, method, path, JSON.stringify(headers), body?.subarray(0, 1000).toString('latin1') ?? ''];
  return parts.map((part) => (part.length > 1000 ? `${part.slice(0, 1000)}…` : part)).join('\n    ');
}

/** The service under attack. */
export interface Target {
  context: Context;
  url: string;
  /** What it has logged since the last call. */
  takeLog(): string;
}

/** Sends generated requests and looks at every answer. The same seed gives the same requests. */
export async function fuzz(
  { context, url, takeLog }: Target,
  { requests, seed, toSucceed = [] }: FuzzOptions,
): Promise<FuzzResult> {
  const result: FuzzResult = {
    sent: 0,
    unread: 0,
    met: new Map(),
    problems: [],
  };
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  // Signed out, deactivated or deleted by a request before.
  const refused = new Set<Sender>();
  const attack = async (generated: Generated, world: World) => {
    if (refused.delete(generated.sender)) await signInAgain(context, world, generated.sender);
    const request = await grounded(generated, world);
    result.sent += 1;
    try {
      const answer = await sendRaw(url, { ...request, agent });
      if (answer.status === 401 && generated.headers.authorization === undefined) refused.add(generated.sender);
      const name = operationAt(request.method, request.path);
      if (isUnread(answer, request)) result.unread += 1;
      else if (name) {
        const { answered, succeeded } = result.met.get(name) ?? { answered: 0, succeeded: 0 };
        const isSuccess = answer.status === contract[name].success.status;
        result.met.set(name, { answered: answered + 1, succeeded: succeeded + (isSuccess ? 1 : 0) });
      }
      const problem = problemOf(name, request, answer);
      if (problem !== undefined)
        result.problems.push(
          `${generated.name}: ${problem}: ${answer.status} ${answer.text.slice(0, 300)}\n    ${shown(request)}\n${takeLog()}`,
        );
    } catch (error) {
      const isCut = systemErrorCode(error) === 'ECONNRESET';
      if (isCut && isRefusedUnread(request)) {
        result.unread += 1;
        return;
      }
      // A table breaks off once its reader is signed out, as another request may have done meanwhile.
      if (isCut && isTable(operationAt(request.method, request.path))) {
        const { status } = await sendRaw(url, { ...request, agent });
        if (status === 401) return;
      }
      result.problems.push(`${generated.name}: ${String(error)}\n    ${shown(request)}`);
    }
  };
  const attackWithAll = async (queue: Generated[]) => {
    const world = await prepareWorld(context);
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (let next = queue.shift(); next; next = queue.shift()) await attack(next, world);
      }),
    );
  };
  for (let from = 0; from < requests && result.problems.length < enough; from += chunk)
    await attackWithAll(fc.sample(anyRequest, { numRuns: Math.min(chunk, requests - from), seed: seed + from }));
  for (let round = 0; round < maxRounds && result.problems.length < enough; round += 1) {
    const rare = toSucceed.filter((name) => !result.met.get(name)?.succeeded);
    if (rare.length === 0) break;
    const sample = { numRuns: perRound, seed: seed + requests + round };
    await attackWithAll(rare.flatMap((name) => fc.sample(aimedAt(name), sample)));
  }
  agent.destroy();
  return result;
}

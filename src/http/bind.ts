import { once } from 'node:events';
import { isIP } from 'node:net';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import type { Caller, Client } from '../services/core.js';
import { uploadsFolder } from '../services/imports/jobs.js';
import { assertOwnPassword, authorize } from '../services/permissions.js';
import { authenticate } from '../services/sessions.js';
import { type Contract, contract, type Operation } from './contract.js';
import { readUpload } from './upload.js';

/** What a handler is given. `caller` is there exactly when the operation isn't public. */
export interface HandlerRequest<T extends Operation = Operation> {
  context: Context;
  client: Client;
  caller: T['access'] extends { kind: 'public' } ? undefined : Caller;
  params: Readonly<Record<string, string>>;
  query: unknown;
  /** The parsed JSON body, `{}` without one; not validated yet: the service does that. */
  body: unknown;
  /** The form, exactly when the operation takes one; its fields are not validated yet. */
  upload: T extends { upload: object } ? Upload : undefined;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  /** Sets a header of the answer. */
  setHeader(name: string, value: string): void;
}

type Upload = Awaited<ReturnType<typeof readUpload>>;

/** An answer that is sent as it comes. Nothing is sent before its first piece is there. */
export interface TextAnswer {
  pieces(): AsyncGenerator<string>;
  /** The name to keep it under; without one it isn't meant to be kept. */
  filename?: string;
  /** Told whether all of it has been handed to the client. */
  settled?(arrived: boolean): Promise<void>;
}

/** Gives the body of the operation's success answer. */
type Handler<T extends Operation> = (
  request: HandlerRequest<T>,
) => Promise<T['success'] extends { content: string } ? TextAnswer : object>;

/** One handler for each operation of the contract: a missing or surplus one doesn't compile. */
export type Handlers = { [K in keyof Contract]: Handler<Contract[K]> };

/** Largest JSON body, in bytes: a few fields of text. */
const jsonLimit = 100 * 1024;
/** How long a JSON body may take to arrive, in milliseconds. */
const bodyTimeoutMs = 30_000;
const parseJson = express.json({ limit: jsonLimit, type: () => true });

const runMiddleware = (middleware: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    middleware(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });

async function readBody(request: Request, response: Response): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return {};
  if (!request.is('application/json')) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  // A few fields of text: whoever needs longer for them isn't sending any.
  const late = setTimeout(() => request.destroy(new AppError('BODY_INCOMPLETE')), bodyTimeoutMs);
  await runMiddleware(parseJson, request, response).finally(() => clearTimeout(late));
  const body: unknown = request.body ?? {};
  // JSON.parse keeps a "__proto__" as an own key; nothing of ours has that name.
  if (typeof body === 'object' && body !== null) Reflect.deleteProperty(body, '__proto__');
  return body;
}

/** The token of an `Authorization: Bearer` header (RFC 6750, section 2.1). @throws AppError `TOKEN_MISSING` */
function bearerToken(request: Request): string {
  const [, token] = /^Bearer +(\S.*)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) throw new AppError('TOKEN_MISSING');
  return token.trim();
}

async function admit(
  context: Context,
  operation: Operation,
  request: Request,
  client: Client,
): Promise<Caller | undefined> {
  if (operation.access.kind === 'public') return undefined;
  const caller = await authenticate(context, bearerToken(request), client);
  if (!operation.path.startsWith('/api/auth/')) assertOwnPassword(caller);
  authorize(operation.access, caller, request.params);
  return caller;
}

/** Length of an IPv4 address written as IPv6, the longest there is. */
const longestAddress = 45;

/** The client as it is recorded. Behind a proxy the address is whatever the header says: only a real one is kept. */
function clientOf(request: Request): Client {
  const { ip = '' } = request;
  return {
    ip: isIP(ip) && ip.length <= longestAddress ? ip : null,
    userAgent: request.get('user-agent') ?? null,
  };
}

/**
 * An id with a space or a control character names nothing, and no database need see it: MySQL would pass over spaces
 * at its end, and a NUL would end SQLite's statement.
 * @throws AppError `NOT_FOUND`
 */
function assertNameable(params: Request['params']): void {
  if (Object.values(params).some((value) => /[\s\p{Cc}]/u.test(String(value)))) throw new AppError('NOT_FOUND');
}

function respond<T extends Operation>(context: Context, operation: T, handler: Handler<T>): RequestHandler {
  return async (request, response) => {
    response.locals.operation = operation;
    const client = clientOf(request);
    const caller = await admit(context, operation, request, client);
    assertNameable(request.params);
    const body = operation.body ? await readBody(request, response) : {};
    const upload = operation.upload ? await readUpload(request, response, uploadSettings(context)) : undefined;
    const { params, query } = request;
    const left = new AbortController();
    response.once('close', () => left.abort());
    const setHeader = (name: string, value: string) => void response.setHeader(name, value);
    // The contract decides whether there is a caller and an upload; the mapped types say the same.
    const admitted = {
      ...{ context, client, caller, params, query, body, upload, signal: left.signal, setHeader },
    } as unknown as HandlerRequest<T>;
    response.status(operation.success.status);
    // A look at the head of what is sent as it comes must not set it off: some of it is sent only once.
    if (request.method === 'HEAD' && 'content' in operation.success) {
      response.type(`${operation.success.content}; charset=utf-8`).end();
      return;
    }
    const answer = await handler(admitted);
    if ('content' in operation.success) await sendText(response, operation.success.content, answer as TextAnswer);
    else response.json(answer);
  };
}

function uploadSettings(context: Context) {
  return { folder: uploadsFolder(context), maxBytes: context.config.imports.uploadBytes };
}

/** Sends text as it comes, no faster than the client takes it. */
async function sendText(response: Response, contentType: string, { pieces, filename, settled }: TextAnswer) {
  let arrived = false;
  const source = pieces();
  try {
    // Whatever is wrong from the start is still answered as what it is.
    let piece = await source.next();
    response.setHeader('Content-Type', `${contentType}; charset=utf-8`);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (filename !== undefined) response.setHeader('Content-Disposition', `attachment; filename="${filename}"`);
    response.flushHeaders();
    for (; !piece.done && !response.destroyed; piece = await source.next())
      if (piece.value !== '' && !response.write(piece.value) && !response.destroyed)
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (!response.destroyed) {
      const finished = Promise.race([
        once(response, 'finish').then(() => true),
        once(response, 'close').then(() => false),
      ]);
      response.end();
      arrived = await finished;
    }
  } finally {
    await source.return(undefined);
    await settled?.(arrived);
  }
}

/** Routes every operation of the contract to its handler; other methods on its paths are answered 405. */
export function bindContract(context: Context, handlers: Handlers): Router {
  const router = Router({ caseSensitive: true });
  const methods = new Map<string, string[]>();
  for (const name of Object.keys(contract) as (keyof Contract)[]) {
    const operation: Operation = contract[name];
    // Each handler fits its own operation; the loop sees the union of both.
    router[operation.method](operation.path, respond(context, operation, handlers[name] as Handler<Operation>));
    const allowed = methods.get(operation.path) ?? [];
    methods.set(operation.path, [
      ...allowed,
      operation.method.toUpperCase(),
      ...(operation.method === 'get' ? ['HEAD'] : []),
    ]);
  }
  for (const [path, allowed] of methods) {
    router.all(path, (_request, response) => {
      // Preflights are answered below /api only.
      response.setHeader('Allow', [...allowed, ...(path.startsWith('/api/') ? ['OPTIONS'] : [])].join(', '));
      throw new AppError('METHOD_NOT_ALLOWED');
    });
  }
  return router;
}

import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../errors.js';
import { networkOf } from '../../network.js';
import type { Context } from '../../services/context.js';
import type { Caller, Client } from '../../services/core.js';
import { atMost, removeUpload, uploadsFolder, type WithoutSlot } from '../../services/files/files.js';
import { withPromotion } from '../../services/waiting-list/promotion.js';
import { type Operation, seatsHeader } from '../api/operation.js';
import { sendIfConstant } from '../body/encodings.js';
import { createJsonReader } from '../body/json-body.js';
import { rangeOf } from '../body/ranges.js';
import { type StreamedResponse, sendJson, sendLargeJson, sendStream } from '../body/streams.js';
import { type ReceivedUpload, readUpload } from '../body/uploads.js';
import type { ClientLimiter, ClientOwner, StopCounting } from '../overload/clients.js';
import { type CostlyRequest, type CostlyWork, type EndLargeResponse, pageLength } from '../overload/costly-work.js';
import { type Deadlines, databaseDeadline, destroyUnlessRead, disconnectSignal } from '../overload/deadlines.js';
import type { RequestLimiter } from '../overload/requests.js';
import { assertAuthorized, assertSessionActive, callerOf, whileSignedIn } from './caller.js';
import { clientOf } from './client.js';
import type { AnyHandler, AnyHandlerRequest, ReceiveOptions } from './handler.js';
import { type SessionCookie, sessionCookie } from './session-cookie.js';
import { stateCookie } from './state-cookie.js';

/** Maximum JSON body in bytes, for a few text fields. */
const jsonLimit = 100 * 1024;

/** Limiters of a server. An application without a server, as in tests, has no limiters. */
export interface Limiters {
  requests: RequestLimiter;
  clients: ClientLimiter;
  costlyWork: CostlyWork;
}

export interface RequestControl {
  limiters?: Limiters;
  deadlines: Deadlines;
}

/**
 * Whether all ids of a path are possible. An id with white space or a control character must not reach the database: MySQL
 * ignores spaces at the end of a value, and a NUL would end SQLite's statement.
 */
const areValidIds = (params: Request['params']): params is Record<string, string> =>
  Object.values(params).every((value) => typeof value === 'string' && !/[\s\p{Cc}]/u.test(value));

/**
 * Creates a middleware that releases the slot of a request when its response is complete. It also bounds the responses that
 * clients don't read.
 */
export function boundResponses({ limiters, deadlines }: RequestControl): RequestHandler {
  return (request, response: Response<unknown, { userId?: string }>, next) => {
    // Emitted when the whole response is in the buffers of the connection.
    response.once('prefinish', () => {
      limiters?.requests.release(response);
      if (response.writableLength === 0) return;
      void destroyUnlessRead(response, 'finish', deadlines.unreadMs);
      limiters?.clients.trackUnread(response, { address: clientOf(request).ip, account: response.locals.userId });
    });
    next();
  };
}

/**
 * Returns a function that runs work without the slot of a request, because the work waits for the client, a hash, the
 * storage or a queue.
 */
function slotReleaser(limiters: Limiters | undefined, response: Response): WithoutSlot {
  return async (wait) => {
    limiters?.requests.release(response);
    try {
      return await wait();
    } finally {
      limiters?.requests.reacquire(response);
    }
  };
}

/**
 * Creates a receiver of the file of an operation. The upload counts towards the limits of uploads until the file is
 * received. With `countsUntilEnd`, the upload counts until the caller calls `stopCounting`.
 */
function createReceiver(
  context: Context,
  { field, maxBytes }: NonNullable<Operation['upload']>,
  clients: ClientLimiter | undefined,
  [request, response]: readonly [Request, Response],
  owner: ClientOwner,
) {
  let stopCounting: StopCounting | undefined;
  return {
    stopCounting: () => stopCounting?.(),
    async receive({ limit = atMost(maxBytes(context.config)), countsUntilEnd = false }: ReceiveOptions = {}) {
      const upload = await clients?.admitUpload(request, owner);
      stopCounting = upload?.stopCounting;
      try {
        return await readUpload(request, response, { field, folder: uploadsFolder(context), limit });
      } finally {
        upload?.markReceived();
        if (!countsUntilEnd) upload?.stopCounting();
      }
    },
  };
}

/** An operation with its handler, context and limits. */
interface ServedOperation extends RequestControl {
  context: Context;
  operation: Operation;
  handler: AnyHandler;
  readBody: ReturnType<typeof createJsonReader>;
}

/** The authorized sender of a request. */
interface Sender {
  client: Client;
  cookie: SessionCookie;
  caller: Caller | undefined;
  params: Readonly<Record<string, string>>;
  owner: ClientOwner;
}

/**
 * Authenticates and authorizes the sender.
 * @throws AppError `NOT_FOUND` for impossible ids, and the errors of {@link callerOf}, {@link assertAuthorized} and the
 *   operation's precondition
 */
async function authorizeSender(
  { context, operation }: ServedOperation,
  request: Request,
  response: Response,
): Promise<Sender> {
  const { params } = request;
  const client = clientOf(request);
  const cookie = sessionCookie(request, response);
  const caller = await callerOf(context, operation, request, client, cookie);
  if (caller) {
    // For the request log, even if the request is refused below.
    response.locals.userId = caller.user.id;
    assertAuthorized(operation, caller, params);
  }
  if (!areValidIds(params)) throw new AppError('NOT_FOUND');
  await operation.precondition?.(context);
  return { client, cookie, caller, params, owner: { address: client.ip, account: caller?.user.id } };
}

/** Serves one request of an authorized sender. */
class Exchange {
  readonly #getDisconnectSignal: () => AbortSignal;
  readonly #withoutSlot: WithoutSlot;
  readonly #upload: ReturnType<typeof createReceiver> | undefined;
  #endLarge: EndLargeResponse | undefined;

  constructor(
    private readonly service: ServedOperation,
    private readonly sender: Sender,
    private readonly request: Request,
    private readonly response: Response,
  ) {
    const { context, operation, limiters } = service;
    this.#getDisconnectSignal = disconnectSignal(response);
    this.#withoutSlot = slotReleaser(limiters, response);
    this.#upload =
      operation.upload &&
      createReceiver(context, operation.upload, limiters?.clients, [request, response], sender.owner);
  }

  /** Reads the body, calls the handler and sends its result. */
  async serve(): Promise<void> {
    const { operation } = this.service;
    const body = operation.body ? await this.#readBody() : {};
    const query = operation.query ? this.request.query : {};
    const items = pageLength(operation, query);
    if (items !== undefined) await this.#reserveMemory(items);
    try {
      await this.#send(await this.#handle(this.#handlerRequest(body, query)));
    } catch (error) {
      this.#endLarge?.({ error });
      throw error;
    } finally {
      this.#upload?.stopCounting();
    }
  }

  async #readBody(): Promise<unknown> {
    const { readBody, limiters } = this.service;
    const [request, response] = [this.request, this.response];
    if (request.complete) return readBody(request, response);
    const body = await this.#withoutSlot(async () => {
      const stopCounting = await limiters?.clients.admitBody(request, this.sender.owner);
      return readBody(request, response).finally(stopCounting);
    });
    await this.#assertSessionActive();
    return body;
  }

  /** Checks the session again, because the sender may have signed out before sending the body. */
  #assertSessionActive(): Promise<void> {
    return assertSessionActive(this.service.context, this.sender.caller);
  }

  async #receive(upload: ReturnType<typeof createReceiver>, options?: ReceiveOptions): Promise<ReceivedUpload> {
    const received = await this.#withoutSlot(() => upload.receive(options));
    await this.#assertSessionActive().catch(async (error: unknown) => {
      await removeUpload(received.file);
      throw error;
    });
    return received;
  }

  #handlerRequest(body: unknown, query: unknown): AnyHandlerRequest {
    const [request, response, upload, getDisconnectSignal] = [
      this.request,
      this.response,
      this.#upload,
      this.#getDisconnectSignal,
    ];
    const { owner: _, ...sender } = this.sender;
    return {
      context: this.service.context,
      ...sender,
      query,
      body,
      receive: upload && ((options) => this.#receive(upload, options)),
      setHeader: (name, value) => void response.setHeader(name, value),
      reserveMemory: (itemCount) => this.#reserveMemory(itemCount),
      get signal() {
        return getDisconnectSignal();
      },
      withoutSlot: this.#withoutSlot,
      rangeOf: (bytes, etag) => rangeOf(request, response, bytes, etag),
      stateCookie: stateCookie(request, response),
      // Node joins repeated headers of this name to one text.
      fetchSite: request.get('Sec-Fetch-Site'),
      authorization: request.headers.authorization,
    };
  }

  /** Returns the options of costly work. Its owner is the account, or the network of a client without an account. */
  #costlyRequest(): CostlyRequest {
    const { caller, client } = this.sender;
    const owner = caller?.user.id ?? (client.ip === null ? '' : networkOf(client.ip));
    return { owner, signal: this.#getDisconnectSignal() };
  }

  async #reserveMemory(itemCount: number): Promise<void> {
    const { limiters, operation } = this.service;
    const { itemBytes } = operation;
    if (!limiters || itemBytes === undefined) return;
    const bytes = itemCount * itemBytes;
    this.#endLarge = await this.#withoutSlot(() =>
      limiters.costlyWork.admitLargeResponse(this.#costlyRequest(), bytes),
    );
  }

  /**
   * Calls the handler, then waits up to a second while freed seats are given to waiting lists. If seats are left, the
   * response says so, and background work gives these seats later.
   */
  async #handle(request: AnyHandlerRequest): Promise<object> {
    const { context, operation, handler } = this.service;
    const handle = () => this.#withinBounds(() => handler(request));
    if (operation.method === 'get') return handle();
    const { result, isDue: isSeatLeft } = await withPromotion(context, handle, this.#withoutSlot);
    if (!isSeatLeft) return result;
    this.response.setHeader(seatsHeader, 'true');
    return 'freesSeats' in operation.success ? { ...result, seatsBeingGiven: true } : result;
  }

  /**
   * Runs work with the database deadline of the operation. Password hashes and long operations run without the slot,
   * because they wait in other queues.
   */
  #withinBounds<R>(work: () => Promise<R>): Promise<R> {
    const { context, operation, limiters } = this.service;
    const { withDeadline } = context.database;
    if (operation.hashesPassword) return this.#withoutSlot(work);
    if (operation.databaseDeadline !== 'none') return work();
    if (!limiters) return withDeadline('none', work);
    // A long operation must not keep its slot for minutes.
    return this.#withoutSlot(() =>
      withDeadline('none', () => limiters.costlyWork.runLongOperation(this.#costlyRequest(), work)),
    );
  }

  async #send(result: object): Promise<void> {
    const { success, itemBytes } = this.service.operation;
    const response = this.response;
    response.statusCode = success.status;
    if (sendIfConstant(this.request, response, result)) return;
    // The mapped type of handlers ensures that redirects return a location, and operations with a content type a stream.
    if ('redirects' in success) response.location((result as { location: string }).location).end();
    else if ('content' in success) await this.#stream(success.content, result as StreamedResponse);
    else if (itemBytes === undefined) sendJson(response, result);
    else {
      const bytes = await sendLargeJson(response, result);
      this.#endLarge?.({ bytes });
    }
  }

  /**
   * Sends a stream. Stops a CSV export if the caller signs out, because a slow client may get rows that are newer than the
   * request. Files need no such check, because they never change.
   */
  async #stream(content: string, streamed: StreamedResponse): Promise<void> {
    const { context, operation, limiters, deadlines } = this.service;
    const { caller, owner } = this.sender;
    const response = this.response;
    let { pieces } = streamed;
    if (content === 'text/csv') pieces = () => whileSignedIn(context, caller, streamed.pieces());
    if (operation.exportsRows && limiters) {
      const signedIn = pieces;
      pieces = () => limiters.costlyWork.limitExport(signedIn());
      limiters.requests.release(response);
    }
    const toSend = { ...streamed, pieces };
    await sendStream(this.request, response, content, toSend, {
      unreadMs: deadlines.unreadMs,
      onBegin: () => limiters?.requests.release(response),
      onUnread: () => limiters?.clients.trackUnread(response, owner),
    });
  }
}

/** Creates the function that serves requests of an operation. @param handler handler of this operation */
export function createResponder(
  context: Context,
  operation: Operation,
  handler: AnyHandler,
  control: RequestControl,
): (request: Request, response: Response) => Promise<void> {
  const { limiters, deadlines } = control;
  const { withDeadline, settings } = context.database;
  const isRemote = settings.dialect !== 'sqlite';
  const maxBytes = operation.maxBodyBytes ?? jsonLimit;
  const readBody = createJsonReader({ maxBytes, arrivalMs: deadlines.bodyMs });
  const service: ServedOperation = { ...control, context, operation, handler, readBody };
  return (request, response) => {
    response.locals.operation = operation;
    const waitedMs = isRemote ? (limiters?.requests.waitedMs(response) ?? 0) : 0;
    return withDeadline(databaseDeadline(operation, deadlines, waitedMs), async () => {
      const sender = await authorizeSender(service, request, response);
      await new Exchange(service, sender, request, response).serve();
    });
  };
}

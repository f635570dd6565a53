import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../errors.js';
import { networkOf } from '../../network.js';
import type { Context } from '../../services/context.js';
import type { Caller } from '../../services/core.js';
import { atMost, removeUpload, uploadsFolder } from '../../services/files/files.js';
import { withPromotion } from '../../services/waiting-list/promotion.js';
import { type Operation, seatsHeader } from '../api/operation.js';
import { sendConstant } from '../body/encodings.js';
import { createJsonReader } from '../body/json-body.js';
import { rangeOf } from '../body/ranges.js';
import { type StreamedResponse, sendJson, sendLargeJson, sendStream } from '../body/streams.js';
import { readUpload } from '../body/uploads.js';
import type { ClientOwner, Clients, Leave } from '../overload/clients.js';
import { type CostlyWork, type EndLargeResponse, pageLength } from '../overload/costly-work.js';
import { type Deadlines, databaseDeadline, destroyUnlessRead, disconnectSignal } from '../overload/deadlines.js';
import type { Requests } from '../overload/requests.js';
import { assertAuthorized, assertSessionActive, callerOf, whileSignedIn } from './caller.js';
import { clientOf } from './client.js';
import type { Handler, HandlerRequest, ReceiveOptions } from './handler.js';
import { sessionCookie } from './session-cookie.js';

/** Largest JSON body, in bytes: a few fields of text. */
const jsonLimit = 100 * 1024;

/** What bounds the requests of a server; an application alone has no such bounds. */
export interface Overload {
  requests: Requests;
  clients: Clients;
  costlyWork: CostlyWork;
}

/** How the server bounds and times requests. */
export interface RequestControl {
  overload?: Overload;
  deadlines: Deadlines;
}

/**
 * An id with a space or a control character names nothing, and no database need see it: MySQL would pass over spaces
 * at its end, and a NUL would end SQLite's statement.
 * @throws AppError `NOT_FOUND`
 */
function assertNameable(params: Request['params']): void {
  if (Object.values(params).some((value) => /[\s\p{Cc}]/u.test(String(value)))) throw new AppError('NOT_FOUND');
}

/** Responses give up their slot when only sending is left, and are bounded while their clients don't read them. */
export function boundResponses({ overload, deadlines }: RequestControl): RequestHandler {
  return (request, response: Response<unknown, { userId?: string }>, next) => {
    // Emitted when all of the response has been handed to the connection, which may keep it.
    response.once('prefinish', () => {
      overload?.requests.release(response);
      if (response.writableLength === 0) return;
      void destroyUnlessRead(response, 'finish', deadlines.unreadMs);
      overload?.clients.unread(response, { address: clientOf(request).ip, account: response.locals.userId });
    });
    next();
  };
}

/** Waits without a slot: for a body, an upload, a hash, the storage or in another queue. */
function slotReleaser(overload: Overload | undefined, response: Response) {
  return async <R>(wait: () => Promise<R>): Promise<R> => {
    overload?.requests.release(response);
    try {
      return await wait();
    } finally {
      overload?.requests.reacquire(response);
    }
  };
}

/** Receives the file of an operation. The place among the uploads is left with the file, or by `leave`. */
function createReceiver(
  context: Context,
  { field, maxBytes }: NonNullable<Operation['upload']>,
  clients: Clients | undefined,
  [request, response]: readonly [Request, Response],
  owner: ClientOwner,
) {
  let leave: Leave | undefined;
  return {
    leave: () => leave?.(),
    async receive({ limit = atMost(maxBytes(context.config)), keepsPlace = false }: ReceiveOptions = {}) {
      const place = await clients?.upload(request, owner);
      leave = place?.leave;
      try {
        return await readUpload(request, response, { field, folder: uploadsFolder(context), limit });
      } finally {
        place?.received();
        if (!keepsPlace) place?.leave();
      }
    },
  };
}

/**
 * Serves an operation: who calls, its body, its handler, its response.
 * @param handler fits the operation
 */
export function respond<T extends Operation>(
  context: Context,
  operation: T,
  handler: Handler<T>,
  { overload, deadlines }: RequestControl,
): (request: Request, response: Response) => Promise<void> {
  const { withDeadline, settings } = context.database;
  const isRemote = settings.dialect !== 'sqlite';
  const readBody = createJsonReader({ maxBytes: operation.maxBodyBytes ?? jsonLimit, arrivalMs: deadlines.bodyMs });

  async function identify(request: Request, response: Response) {
    const client = clientOf(request);
    const cookie = sessionCookie(request, response);
    const caller = await callerOf(context, operation, request, client, cookie);
    if (caller) {
      // For the log, also where the request is refused.
      response.locals.userId = caller.user.id;
      assertAuthorized(operation, caller, request.params);
    }
    assertNameable(request.params);
    await operation.precondition?.(context);
    return { client, cookie, caller, owner: { address: client.ip, account: caller?.user.id } };
  }

  async function bodyOf(request: Request, response: Response, owner: ClientOwner, caller: Caller | undefined) {
    if (request.complete) return readBody(request, response);
    const withoutSlot = slotReleaser(overload, response);
    const body = await withoutSlot(async () => {
      const leave = await overload?.clients.body(request, owner);
      return readBody(request, response).finally(leave);
    });
    // What its sender held back until now may have come after they were signed out.
    await assertSessionActive(context, caller);
    return body;
  }

  /**
   * Tables get rows while they are read slowly: they are read for as long as their reader is signed in. Files aren't newer than
   * their request.
   */
  async function stream(
    [request, response]: readonly [Request, Response],
    content: string,
    streamed: StreamedResponse,
    { caller, owner }: { caller: Caller | undefined; owner: ClientOwner },
  ): Promise<void> {
    let { pieces } = streamed;
    if (content === 'text/csv') pieces = () => whileSignedIn(context, caller, streamed.pieces());
    if (operation.exportsRows && overload) {
      const signedIn = pieces;
      pieces = () => overload.costlyWork.serialized(signedIn());
      overload.requests.release(response);
    }
    await sendStream(
      request,
      response,
      content,
      { ...streamed, pieces },
      {
        unreadMs: deadlines.unreadMs,
        onBegin: () => overload?.requests.release(response),
        onUnread: () => overload?.clients.unread(response, owner),
      },
    );
  }

  async function serve(request: Request, response: Response): Promise<void> {
    const disconnected = disconnectSignal(response);
    const withoutSlot = slotReleaser(overload, response);
    const { client, cookie, caller, owner } = await identify(request, response);
    const body = operation.body ? await bodyOf(request, response, owner, caller) : {};
    const upload =
      operation.upload && createReceiver(context, operation.upload, overload?.clients, [request, response], owner);
    const receive =
      upload &&
      (async (options?: ReceiveOptions) => {
        const received = await withoutSlot(() => upload.receive(options));
        await assertSessionActive(context, caller).catch(async (error: unknown) => {
          await removeUpload(received.file);
          throw error;
        });
        return received;
      });
    /** Its account, or for a client that has none its network. */
    const costlyOwner = () => caller?.user.id ?? (client.ip === null ? '' : networkOf(client.ip));
    let endLarge: EndLargeResponse | undefined;
    async function expectItems(count: number): Promise<void> {
      const { itemBytes } = operation;
      if (!overload || itemBytes === undefined) return;
      const costly = { owner: costlyOwner(), signal: disconnected() };
      endLarge = await withoutSlot(() => overload.costlyWork.largeResponse(costly, count * itemBytes));
    }
    const query = operation.query ? request.query : {};
    // The contract decides whether there is a caller and a form; the mapped types say the same.
    const handlerRequest = {
      context,
      client,
      caller,
      params: request.params,
      query,
      body,
      receive,
      setHeader: (name: string, value: string) => void response.setHeader(name, value),
      expectItems,
      cookie,
      get signal() {
        return disconnected();
      },
      withoutSlot,
      rangeOf: (bytes: number, etag: string) => rangeOf(request, response, bytes, etag),
      authorization: request.headers.authorization,
    } as unknown as HandlerRequest<T>;
    const handle = () => handler(handlerRequest);
    function handledOnce() {
      if (operation.hashesPassword) return withoutSlot(handle);
      if (operation.databaseDeadline !== 'none') return handle();
      if (!overload) return withDeadline('none', handle);
      // It would keep its slot for minutes.
      const long = { owner: costlyOwner(), signal: disconnected() };
      return withoutSlot(() => withDeadline('none', () => overload.costlyWork.longOperation(long, handle)));
    }
    async function handled() {
      if (operation.method === 'get') return handledOnce();
      const { result, isDue } = await withPromotion(context, handledOnce, withoutSlot);
      if (!isDue) return result;
      response.setHeader(seatsHeader, 'true');
      return 'freesSeats' in operation.success ? { ...result, seatsBeingGiven: true } : result;
    }
    const items = pageLength(operation, query);
    if (items !== undefined) await expectItems(items);
    try {
      const result = await handled();
      response.statusCode = operation.success.status;
      // Where the contract names a content type, its handlers give a stream: the mapped types say so.
      if (sendConstant(request, response, result)) return;
      if ('content' in operation.success)
        await stream([request, response], operation.success.content, result as StreamedResponse, { caller, owner });
      else if (operation.itemBytes === undefined) sendJson(response, result);
      else {
        const bytes = await sendLargeJson(response, result);
        endLarge?.({ bytes });
      }
    } catch (error) {
      endLarge?.({ error });
      throw error;
    } finally {
      upload?.leave();
    }
  }

  return (request, response) => {
    response.locals.operation = operation;
    const waitedMs = isRemote ? (overload?.requests.waitedMs(response) ?? 0) : 0;
    return withDeadline(databaseDeadline(operation, deadlines, waitedMs), () => serve(request, response));
  };
}

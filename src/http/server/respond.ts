import type { Request, Response } from 'express';
import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import type { Caller } from '../../services/core.js';
import { atMost, removeUpload, uploadsFolder } from '../../services/files/files.js';
import type { Operation } from '../api/operation.js';
import { createJsonReader } from '../body/json-body.js';
import { rangeOf } from '../body/ranges.js';
import { type StreamAnswer, sendJson, sendLargeJson, sendStream } from '../body/streams.js';
import { readUpload } from '../body/uploads.js';
import type { Admission } from './admission.js';
import { assertAdmitted, callerOf } from './admit.js';
import { clientOf } from './client.js';
import type { Handler, HandlerRequest, ReceiveOptions } from './handler.js';
import { type LargeAnswers, type LeaveLargeAnswers, pageLength } from './large-answers.js';
import type { LengthyWork } from './lengthy-work.js';
import { sessionCookie } from './session-cookie.js';
import { assertStillSignedIn, whileSignedIn } from './still-signed-in.js';
import { answerTaken, bodyComing } from './waiting-request.js';
import type { WaitingRequests } from './waiting-requests.js';

/** To be called when a request waits no more. */
type Leave = () => void;

/** Largest JSON body, in bytes: a few fields of text. */
const jsonLimit = 100 * 1024;
/** The least of that which is left to a request that has waited in the queue for a database server, in milliseconds. */
const leastDatabaseMs = 1500;

/** How long the parts of a request may take, in milliseconds. */
export interface RequestLimits {
  /** How long a JSON body may take to arrive. */
  bodyMs: number;
  /** How long a client may take nothing of an answer. */
  unreadMs: number;
  /** How long a request may use the database; with all else it is answered within 5 s. */
  databaseMs: number;
}

/** The limits of a service. */
export const standardLimits: Readonly<RequestLimits> = { bodyMs: 30_000, unreadMs: 60_000, databaseMs: 4000 };

/** How the server bounds and times requests. */
export interface RequestControl {
  /** How many requests it works on; without it there is no bound. */
  admission?: Admission;
  /** The requests that wait for their clients or in a queue; without it there is no bound. */
  waiting?: WaitingRequests;
  /** How many large answers it builds at the same time; without it there is no bound. */
  largeAnswers?: LargeAnswers;
  /** The operations without a deadline, and exports; without it there is no bound. */
  lengthyWork?: LengthyWork;
  limits: RequestLimits;
}

/**
 * An id with a space or a control character names nothing, and no database need see it: MySQL would pass over spaces
 * at its end, and a NUL would end SQLite's statement.
 * @throws AppError `NOT_FOUND`
 */
function assertNameable(params: Request['params']): void {
  if (Object.values(params).some((value) => /[\s\p{Cc}]/u.test(String(value)))) throw new AppError('NOT_FOUND');
}

/**
 * Uploads and streams last as long as their client takes, so each of their queries has a deadline of its own. Other
 * requests have waited for the database in the queue already, where those before them were slow. A SQLite file is always
 * there: a burst that writes to it waits for its own transactions.
 */
function deadlineOf(
  { upload, success }: Operation,
  { databaseMs }: RequestLimits,
  waitedMs: number,
): Parameters<Context['database']['withDeadline']>[0] {
  if (upload || 'content' in success) return { each: databaseMs };
  return { all: Math.max(leastDatabaseMs, databaseMs - waitedMs) };
}

/** Why a signal of {@link whenLeft} is aborted: made once, because an error of its own for each request costs time. */
const clientLeft = new DOMException('The client has gone, or has its answer.', 'AbortError');

/** A signal that is aborted when the client has gone; made when it is asked for, as most requests need none. */
function whenLeft(response: Response): () => AbortSignal {
  let left: AbortController | undefined;
  return () => {
    if (left) return left.signal;
    const controller = new AbortController();
    left = controller;
    if (response.closed) controller.abort(clientLeft);
    else response.once('close', () => controller.abort(clientLeft));
    return controller.signal;
  };
}

/** Requests that wait give their slot back: for a body, an upload or a place in another bounded queue. */
function slotReleaser(admission: Admission | undefined, response: Response) {
  return async <R>(enter: (() => Leave | Promise<Leave>) | undefined, wait: () => Promise<R>): Promise<R> => {
    admission?.release(response);
    let leave: Leave | undefined;
    try {
      leave = await enter?.();
      return await wait();
    } finally {
      leave?.();
      admission?.reacquire(response);
    }
  };
}

/**
 * Serves an operation: who calls, its body, its handler, its answer.
 * @param handler fits the operation
 */
export function respond<T extends Operation>(
  context: Context,
  operation: T,
  handler: Handler<T>,
  control: RequestControl,
): (request: Request, response: Response) => Promise<void> {
  const { admission, waiting, largeAnswers, lengthyWork, limits } = control;
  const { withDeadline, settings } = context.database;
  const isRemote = settings.dialect !== 'sqlite';
  const readBody = createJsonReader({ maxBytes: operation.maxBodyBytes ?? jsonLimit, arrivalMs: limits.bodyMs });

  /**
   * Tables get rows while they are read slowly: they are read for as long as their reader is signed in. Files aren't newer than
   * their request.
   */
  function streamedAnswer(content: string, answer: StreamAnswer, caller: Caller | undefined) {
    if (content !== 'text/csv') return { answer, isExport: false };
    const read = () => whileSignedIn(context, caller, answer.pieces());
    if (!operation.exportsRows || !lengthyWork) return { answer: { ...answer, pieces: read }, isExport: false };
    return { answer: { ...answer, pieces: () => lengthyWork.serialized(read()) }, isExport: true };
  }

  async function serve(request: Request, response: Response): Promise<void> {
    const left = whenLeft(response);
    const released = slotReleaser(admission, response);
    const client = clientOf(request);
    const cookie = sessionCookie(request, response);
    const caller = await callerOf(context, operation, request, client, cookie);
    if (caller) {
      // For the log, also where the request is refused.
      response.locals.userId = caller.user.id;
      assertAdmitted(operation, caller, request.params);
    }
    assertNameable(request.params);
    await operation.precondition?.(context);
    const owner = { address: client.ip, account: caller?.user.id };
    const coming = bodyComing(request, owner);
    // What its sender held back until now may come after they were signed out.
    const isBodyLate = operation.body !== undefined && !request.complete;
    const body = operation.body
      ? await released(waiting && (() => waiting.body(coming)), () => readBody(request, response))
      : {};
    if (isBodyLate) await assertStillSignedIn(context, caller);
    const { upload } = operation;
    let leaveUploads: Leave | undefined;
    const receive =
      upload &&
      (async ({ limit = atMost(upload.maxBytes(context.config)), keepsPlace = false }: ReceiveOptions = {}) => {
        const settings = { field: upload.field, folder: uploadsFolder(context), limit };
        let isThere = false;
        // Nothing waits for the client of a file that is there.
        const uploading = { ...coming, bytes: () => (isThere ? undefined : coming.bytes?.()) };
        const enter = async (line: WaitingRequests): Promise<Leave> => {
          const leave = await line.upload(uploading);
          if (!keepsPlace) return leave;
          leaveUploads = leave;
          return () => undefined;
        };
        const received = await released(waiting && (() => enter(waiting)), () =>
          readUpload(request, response, settings),
        );
        isThere = true;
        await assertStillSignedIn(context, caller).catch(async (error: unknown) => {
          await removeUpload(received.file);
          throw error;
        });
        return received;
      });
    const { params } = request;
    const query = operation.query ? request.query : {};
    const setHeader = (name: string, value: string) => void response.setHeader(name, value);
    /** Ends a login that waits, where others have fewer. */
    const evicted = operation.hashesPassword ? new AbortController() : undefined;
    let leaveLarge: LeaveLargeAnswers | undefined;
    async function expectItems(count: number): Promise<void> {
      if (!largeAnswers || operation.itemBytes === undefined) return;
      // While it waits, it is none of those being processed.
      admission?.release(response);
      const bytes = count * operation.itemBytes;
      leaveLarge = await largeAnswers.enter({ ...owner, bytes, signal: left() });
      admission?.reacquire(response);
    }
    // The contract decides whether there is a caller and a form; the mapped types say the same.
    const admitted = {
      context,
      client,
      caller,
      params,
      query,
      body,
      receive,
      setHeader,
      expectItems,
      cookie,
      get signal() {
        return evicted ? AbortSignal.any([left(), evicted.signal]) : left();
      },
      withoutSlot: <R>(wait: () => Promise<R>) => released(undefined, wait),
      rangeOf: (bytes: number, etag: string) => rangeOf(request, response, bytes, etag),
      authorization: request.headers.authorization,
    } as unknown as HandlerRequest<T>;
    const handle = () => handler(admitted);
    const cut = () => evicted?.abort(new AppError('OVERLOADED'));
    function handled() {
      if (evicted) return released(waiting && (() => waiting.login({ ...owner, cut })), handle);
      if (operation.databaseDeadline !== 'none' || !lengthyWork) return handle();
      // It would keep its slot for minutes.
      const entry = { account: caller?.user.id ?? '', signal: left() };
      return released(undefined, () => lengthyWork.run(entry, handle));
    }
    const sending = {
      unreadMs: limits.unreadMs,
      onBegin: () => {
        response.locals.isBounded = true;
        admission?.release(response);
      },
      onUntaken: () => void (waiting && response.once('close', waiting.answer(answerTaken(response, owner)))),
    };
    const items = pageLength(operation, query);
    if (items !== undefined) await expectItems(items);
    try {
      const answer = await (operation.databaseDeadline === 'none' ? withDeadline('none', handled) : handled());
      response.statusCode = operation.success.status;
      // Where the contract names a content type, its handlers give a stream: the mapped types say so.
      if ('content' in operation.success) {
        const streamed = streamedAnswer(operation.success.content, answer as StreamAnswer, caller);
        if (streamed.isExport) admission?.release(response);
        await sendStream(request, response, operation.success.content, streamed.answer, sending);
      } else if (operation.itemBytes === undefined) sendJson(response, answer, sending);
      else {
        const bytes = await sendLargeJson(response, answer, sending);
        leaveLarge?.({ bytes });
      }
    } catch (error) {
      leaveLarge?.({ error });
      throw error;
    } finally {
      leaveUploads?.();
    }
  }

  return (request, response) => {
    response.locals.operation = operation;
    const deadline = deadlineOf(operation, limits, isRemote ? (admission?.waitedMs(response) ?? 0) : 0);
    return withDeadline(deadline, () => serve(request, response));
  };
}

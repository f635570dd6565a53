import type { Context } from '../../services/context.js';
import type { Caller, Client } from '../../services/core.js';
import type { ByteRange, UploadLimit, WithoutSlot } from '../../services/files/files.js';
import type { Operation, PathParameter } from '../api/operation.js';
import type { Contract } from '../api/operations/contract.js';
import type { StreamedResponse } from '../body/streams.js';
import type { ReceivedUpload } from '../body/uploads.js';
import type { SessionCookie } from './session-cookie.js';
import type { StateCookie } from './state-cookie.js';

/** Options for receiving a file. */
export interface ReceiveOptions {
  /** Limit of the file, instead of the operation's limit. */
  limit?: UploadLimit;
  /**
   * Whether the upload counts towards the maximum number of uploads until its request ends, because storing the file may
   * take long. By default, the upload counts only until the file is received.
   */
  countsUntilEnd?: boolean;
}

/** The request of a handler for any operation. */
export interface AnyHandlerRequest {
  context: Context;
  client: Client;
  caller: Caller | undefined;
  params: Readonly<Record<string, string>>;
  query: unknown;
  /** The parsed JSON body, `{}` without a body. Not validated; the service function validates it. */
  body: unknown;
  /**
   * Reads the form of an operation with a file. Its fields are not validated. Handlers call it only after checking the caller's
   * permissions, so that no file of an unauthorized caller is stored.
   */
  receive: ((options?: ReceiveOptions) => Promise<ReceivedUpload>) | undefined;
  /** Returns the requested range of a file: see `rangeOf` in body/ranges.ts. */
  rangeOf(bytes: number, etag: string): ByteRange | undefined;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  /**
   * Runs work while other requests may use the slot of this request. For work that waits in another bounded queue, or for
   * the storage. Slots bound the number of concurrent requests: see overload/README.md.
   */
  withoutSlot: WithoutSlot;
  /**
   * Waits until there is memory for a response with this number of items. Handlers call it if the operation has
   * `itemBytes`, but its query has no `limit`.
   */
  reserveMemory(itemCount: number): Promise<void>;
  /** The header `Sec-Fetch-Site` of browsers: the origin of the page that has sent the request. */
  fetchSite: string | undefined;
  /** The `Authorization` header, for operations with their own authentication. */
  authorization: string | undefined;
  /** The session cookie of the web console. */
  cookie: SessionCookie;
  /** The cookie with the state of a sign-in at the organisation. */
  stateCookie: StateCookie;
  setHeader(name: string, value: string): void;
}

/**
 * The request of a handler for one operation. `caller` is always set if the operation needs a token, `receive` if it has a
 * file.
 */
export interface HandlerRequest<T extends Operation> extends AnyHandlerRequest {
  caller: T['access'] extends { kind: 'public' }
    ? undefined
    : T['access'] extends { kind: 'optional' }
      ? Caller | undefined
      : Caller;
  params: Readonly<Record<PathParameter<T['path']>, string>>;
  receive: T extends { upload: object } ? NonNullable<AnyHandlerRequest['receive']> : undefined;
}

/** A handler for any operation. */
export type AnyHandler = (request: AnyHandlerRequest) => Promise<object>;

/** Handles one operation, and returns the body of its successful response, or the address of its redirect. */
export type Handler<T extends Operation> = (
  request: HandlerRequest<T>,
) => Promise<
  T['success'] extends { content: string }
    ? StreamedResponse
    : T['success'] extends { redirects: true }
      ? { location: string }
      : object
>;

/** One handler for each operation of the contract. Missing and additional handlers don't compile. */
export type Handlers = { [K in keyof Contract]: Handler<Contract[K]> };

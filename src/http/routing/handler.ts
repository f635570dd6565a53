import type { Context } from '../../services/context.js';
import type { Caller, Client } from '../../services/core.js';
import type { ByteRange, UploadLimit, WithoutSlot } from '../../services/files/files.js';
import type { Operation, PathParameter } from '../api/operation.js';
import type { Contract } from '../api/operations/contract.js';
import type { StreamedResponse } from '../body/streams.js';
import type { ReceivedUpload } from '../body/uploads.js';
import type { SessionCookie } from './session-cookie.js';

/** How a file is received. */
export interface ReceiveOptions {
  /** Stands in the place of the operation's own. */
  limit?: UploadLimit;
  /** Whether it counts among the uploads until its request ends, because the storage may take long for it. */
  countsUntilEnd?: boolean;
}

/** The request of a handler, whatever its operation. */
export interface AnyHandlerRequest {
  context: Context;
  client: Client;
  caller: Caller | undefined;
  params: Readonly<Record<string, string>>;
  query: unknown;
  /** The parsed JSON body, `{}` without one; not validated yet: the service does that. */
  body: unknown;
  /**
   * Reads the form of an operation that takes a file; its fields are not validated yet. Called once the caller is known to
   * be allowed what they want: until then nothing of the file is kept.
   */
  receive: ((options?: ReceiveOptions) => Promise<ReceivedUpload>) | undefined;
  /** The piece of a file that is asked for: see http/body/ranges.ts. */
  rangeOf(bytes: number, etag: string): ByteRange | undefined;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  /** Releases the request's slot while it waits in another bounded queue, or for the storage. */
  withoutSlot: WithoutSlot;
  /** Waits until a response with so many items may be built, where the query has no limit for them: see `itemBytes`. */
  reserveItems(count: number): Promise<void>;
  /** The header, for operations that know callers of their own. */
  authorization: string | undefined;
  /** The session cookie of the web console. */
  cookie: SessionCookie;
  /** Sets a header of the response. */
  setHeader(name: string, value: string): void;
}

/** The request of a handler: `caller` is set unless the operation is also open without a token, `receive` where it takes a file. */
export interface HandlerRequest<T extends Operation> extends AnyHandlerRequest {
  caller: T['access'] extends { kind: 'public' }
    ? undefined
    : T['access'] extends { kind: 'optional' }
      ? Caller | undefined
      : Caller;
  params: Readonly<Record<PathParameter<T['path']>, string>>;
  receive: T extends { upload: object } ? NonNullable<AnyHandlerRequest['receive']> : undefined;
}

/** A handler, whatever its operation. */
export type AnyHandler = (request: AnyHandlerRequest) => Promise<object>;

/** Gives the body of the operation's success response. */
export type Handler<T extends Operation> = (
  request: HandlerRequest<T>,
) => Promise<T['success'] extends { content: string } ? StreamedResponse : object>;

/** One handler for each operation of the contract: a missing or surplus one doesn't compile. */
export type Handlers = { [K in keyof Contract]: Handler<Contract[K]> };

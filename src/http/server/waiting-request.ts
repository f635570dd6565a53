import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../errors.js';

/** A request that waits. */
export interface WaitingRequest {
  /** Null where unknown. */
  address: string | null;
  /** Id of the account; undefined before the login. */
  account?: string | undefined;
  /** Bytes received or sent. Undefined while nothing waits for the client. */
  bytes?(): number | undefined;
  /** Bytes of an answer that are kept here until they are taken. */
  held?(): number;
  /** Whether all of it has come. */
  isComplete?(): boolean;
  /** Ends it. */
  cut?(): void;
}

/** Whose request it is. */
export type Owner = Pick<WaitingRequest, 'address' | 'account'>;

/** A request whose body is on its way: ending it breaks its connection. */
export function bodyComing(request: IncomingMessage, owner: Owner): WaitingRequest {
  const { socket } = request;
  return {
    ...owner,
    bytes: () => (socket.destroyed ? undefined : socket.bytesRead),
    isComplete: () => request.complete,
    cut: () => void request.destroy(new AppError('BODY_INCOMPLETE')),
  };
}

/** An answer that is being taken. */
export function answerTaken(response: ServerResponse, owner: Owner): WaitingRequest {
  const { socket } = response;
  return {
    ...owner,
    bytes: () => (socket && response.writableLength > 0 ? socket.bytesWritten - socket.writableLength : undefined),
    held: () => response.writableLength,
    cut: () => void response.destroy(),
  };
}

import type { ErrorCode } from '../../../errors.js';
import type { Figures } from '../../../http/server/worker-metrics.js';

/** What the primary process of `serve --workers` and its workers tell each other. */

/** What a worker is to do; the first message that it gets. */
export interface WorkerStart {
  /** From 1. */
  number: number;
  /** How many workers there are. */
  of: number;
  /** Options of the command line, by the name of their setting. */
  settings: Record<string, string>;
  /** Where no other worker listens it listens at once, and answers 503 until it is ready. */
  listen: 'at once' | 'when ready';
  /** The primary has found the database current. Otherwise it says so later. */
  begun: boolean;
}

/** Where a worker listens. */
export interface Listening {
  url: string;
  hasConsole: boolean;
}

export type ToWorker =
  | ({ type: 'start' } & WorkerStart)
  | { type: 'begin' }
  /** Another worker has taken its place. */
  | { type: 'replaced' }
  | { type: 'stop' }
  | { type: 'report' }
  | { type: 'figures of all'; id: number; text: string };

export type FromWorker =
  /** It listens to messages from now on: Node doesn't keep those that came before. */
  | { type: 'hello' }
  | ({ type: 'listening' } & Listening)
  | ({ type: 'ready' } & Listening)
  /** Why it can't serve. */
  | { type: 'failed'; code: ErrorCode; message: string }
  | { type: 'figures'; figures: Figures }
  /** A client asks for the figures of all workers. */
  | { type: 'scrape'; id: number };

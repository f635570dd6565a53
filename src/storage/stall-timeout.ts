import type { IncomingMessage } from 'node:http';

/** Calls `stalled` each time that `position` hasn't moved for `ms`; the answer ends the watch. */
export function watch(position: () => number, ms: number, stalled: () => void): () => void {
  let last = position();
  const timer = setInterval(() => {
    const now = position();
    if (now === last) stalled();
    last = now;
  }, ms);
  return () => clearInterval(timer);
}

/** Ends a download whose server has fallen silent. A reader that takes its time is no reason. */
export function watchDownload(body: IncomingMessage, ms: number): void {
  const { socket } = body;
  // While something lies ready, or all of it has come, it is the reader's turn: NaN is never the same as before.
  const position = () => (body.readableLength > 0 || body.complete ? Number.NaN : socket.bytesRead);
  const stalled = () => body.destroy(new Error('The file storage stopped sending.'));
  body.once('close', watch(position, ms, stalled));
}

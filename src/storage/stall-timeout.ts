import type { IncomingMessage } from 'node:http';

/** Calls `onStall` whenever `position` hasn't changed for `ms` milliseconds. @returns a function that stops watching */
export function watchProgress(position: () => number, ms: number, onStall: () => void): () => void {
  let last = position();
  const timer = setInterval(() => {
    const now = position();
    if (now === last) onStall();
    last = now;
  }, ms);
  return () => clearInterval(timer);
}

/** Breaks off a download when its server sends nothing for `ms` milliseconds; a slow reader doesn't count. */
export function limitDownloadStall(body: IncomingMessage, ms: number): void {
  const { socket } = body;
  // While unread data is buffered, or everything has arrived, the server isn't stalled: NaN never equals the last position.
  const position = () => (body.readableLength > 0 || body.complete ? Number.NaN : socket.bytesRead);
  const onStall = () => body.destroy(new Error('The file storage stopped sending.'));
  body.once('close', watchProgress(position, ms, onStall));
}

import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { createClientLimiter } from '../../src/http/overload/clients.js';

describe('Responses unread by their clients', () => {
  const megabyte = 1_000_000;
  let cut: string[];
  let clients: ReturnType<typeof createClientLimiter>;
  beforeEach(() => {
    cut = [];
    clients = createClientLimiter({ maxConcurrent: 20, minBytesPerSecond: 500, maxBuffered: 10 * megabyte });
  });

  /** Adds a response with the given buffered bytes; its client keeps reading. @returns a function that ends the response */
  function unread(name: string, bytes: number, address: string | null, account?: string): () => void {
    let written = 0;
    // Contains only the used parts of a response.
    const response = Object.assign(new EventEmitter(), {
      get writableLength() {
        return cut.includes(name) ? 0 : bytes;
      },
      socket: {
        writableLength: bytes,
        get bytesWritten() {
          written += megabyte;
          return written;
        },
      },
      destroy: () => void cut.push(name),
    }) as unknown as ServerResponse;
    for (let time = 0; time < 2; time += 1) clients.trackUnread(response, { address, account });
    return () => void response.emit('close');
  }

  it('are ended, oldest first, when their buffers exceed a limit, even if they are read slowly', () => {
    for (const name of ['first', 'second', 'third', 'fourth']) unread(name, 3 * megabyte, '192.0.2.1');
    expect(cut).to.deep.equal(['first']);
    unread('large', 9 * megabyte, '192.0.2.1');
    expect(cut).to.deep.equal(['first', 'second', 'third', 'fourth']);
    expect(clients.load().responses).to.equal(1);
  });

  it('are ended only for the address with the most buffered bytes', () => {
    unread('other', 3 * megabyte, '192.0.2.1');
    for (const name of ['first', 'second', 'third']) unread(name, 3 * megabyte, '2001:db8::1');
    expect(cut).to.deep.equal(['first']);
    // Both addresses are in one network.
    unread('fourth', 3 * megabyte, '2001:db8::2');
    expect(cut).to.deep.equal(['first', 'second']);
  });

  it('are ended for the account with the most buffered bytes if addresses are unknown', () => {
    unread('other', 4 * megabyte, null, 'one');
    for (const name of ['first', 'second', 'third']) unread(name, 3 * megabyte, null, 'two');
    expect(cut).to.deep.equal(['first']);
  });

  it('no longer count once they are read', () => {
    for (let round = 0; round < 5; round += 1) unread(`${round}`, 9 * megabyte, '192.0.2.1')();
    expect(cut).to.deep.equal([]);
    expect(clients.load().responses).to.equal(0);
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express, { type Request, type Response } from 'express';
import { isAppError } from '../../../src/errors.js';
import { readUpload } from '../../../src/http/body/uploads.js';
import { atMost } from '../../../src/services/files/files.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Runs `work` with a request whose client has already left. */
async function afterClose<T>(work: (request: Request, response: Response) => Promise<T>): Promise<T> {
  let settle: (outcome: Promise<T>) => void = () => undefined;
  const outcome = new Promise<T>((resolve) => {
    settle = resolve;
  });
  const app = express();
  app.put('/', async (request, response) => {
    request.socket.destroy();
    await once(response, 'close');
    settle(work(request, response));
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const call = fetch(`http://127.0.0.1:${port}/`, {
      method: 'PUT',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nabc',
    });
    const [result] = await Promise.all([outcome, call.catch(() => undefined)]);
    return result;
  } finally {
    server.close();
  }
}

describe('A request whose client has left', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('fails with BODY_INCOMPLETE instead of waiting for its upload', async () => {
    const settings = { field: 'image', folder: folder.path, limit: atMost(1000) };
    const failure = await afterClose((request, response) =>
      readUpload(request, response, settings).catch((error: unknown) => error),
    );
    expect(isAppError(failure) && failure.code).to.equal('BODY_INCOMPLETE');
  });
});

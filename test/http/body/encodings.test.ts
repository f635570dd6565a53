import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { useListeningService } from '../support/listening-service.js';

describe('The description of the API', () => {
  const service = useListeningService();

  /** Returns a raw response without decoding its body. */
  async function get(path: string, headers: readonly string[] = [], method = 'GET') {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
    const { socket, closed } = await service.open(`${lines.join('\r\n')}\r\n\r\n`);
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(piece));
    await closed;
    const whole = Buffer.concat(pieces);
    const end = whole.indexOf('\r\n\r\n');
    return { head: whole.subarray(0, end).toString('latin1'), body: whole.subarray(end + 4) };
  }

  for (const [path, type] of [
    ['/api/openapi.json', 'application/json; charset=utf-8'],
    ['/api/docs', 'text/html; charset=utf-8'],
  ] as const)
    it(`is sent compressed if the client accepts this, and only if it has changed since the client's version: ${path}`, async () => {
      await service.start();
      const plain = await get(path);
      expect(plain.head).to.match(/^HTTP\/1.1 200 /);
      expect(plain.head).to.include(`Content-Type: ${type}`).and.not.include('Content-Encoding');
      expect(plain.head)
        .to.include(`Content-Length: ${plain.body.length}`)
        .and.match(/Vary: .*Accept-Encoding/);
      for (const [accepted, encoding, decode] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
      ] as const) {
        const { head, body } = await get(path, [`Accept-Encoding: ${accepted}`]);
        expect(head).to.include(`Content-Encoding: ${encoding}`).and.include(`Content-Length: ${body.length}`);
        expect(decode(body).equals(plain.body)).to.equal(true);
      }
      const [, etag = ''] = /ETag: (.*)/.exec(plain.head) ?? [];
      const known = await get(path, [`If-None-Match: ${etag}`, 'Accept-Encoding: gzip']);
      expect(known.head)
        .to.match(/^HTTP\/1.1 304 /)
        .and.include(`ETag: ${etag}`)
        .and.match(/Vary: .*Accept-Encoding/);
      expect(known.body).to.have.length(0);
      expect((await get(path, ['If-None-Match: W/"another"'])).head).to.match(/^HTTP\/1.1 200 /);
      const { head, body } = await get(path, ['Accept-Encoding: gzip'], 'HEAD');
      expect(head)
        .to.match(/^HTTP\/1.1 200 /)
        .and.include('Content-Encoding: gzip');
      expect(body).to.have.length(0);
    });
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { encodeOnce, sendJson } from '../../../src/http/body/streams.js';

describe('A response that never changes', () => {
  it('is encoded once, however often it is sent', async () => {
    let encodings = 0;
    const body = encodeOnce({
      toJSON() {
        encodings += 1;
        return { text: 'Zoë' };
      },
    });
    const app = express().get('/', (_request, response) => sendJson(response, body));
    const server = app.listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      for (let time = 0; time < 3; time += 1) expect(await (await fetch(url)).json()).to.deep.equal({ text: 'Zoë' });
      expect(encodings).to.equal(1);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

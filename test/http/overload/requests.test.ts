import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { adaptiveWaitMs, createRequestLimiter } from '../../../src/http/overload/requests.js';

describe('The queue of requests', () => {
  /** Creates a limiter with one slot, and requests with recorded outcomes. */
  function createScene() {
    const begun: string[] = [];
    const refused: string[] = [];
    const requests = createRequestLimiter({
      maxConcurrent: 1,
      networkOf: ({ url = '' }) => url.charAt(1),
      isFailure: ({ statusCode }) => statusCode >= 500,
      refuse: ({ url = '' }) => void refused.push(url),
      onRefusals: () => undefined,
    });
    function send(url: string) {
      // Contains only the used parts of request and response.
      const response = Object.assign(new EventEmitter(), {
        statusCode: 200,
        writableFinished: false,
        destroyed: false,
      });
      const request = { url, destroyed: false } as IncomingMessage;
      requests.admit(request, response as unknown as ServerResponse, () => begun.push(url));
      return {
        respond(statusCode: number) {
          Object.assign(response, { statusCode, writableFinished: true }).emit('close');
        },
        abort: () => void Object.assign(response, { destroyed: true }).emit('close'),
      };
    }
    return { requests, begun, refused, send };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('lets requests wait 20 s if the queue was empty in the last 5 s, otherwise half a second', () => {
    expect([0, 4999, 5000, 60_000].map(adaptiveWaitMs)).to.deep.equal([20_000, 20_000, 500, 500]);
  });

  it('refuses all waiting requests after three failures in a row, which aborted requests are not', async () => {
    const { begun, refused, send } = createScene();
    const sent = ['/a1', '/a2', '/a3', '/a4', '/a5', '/a6'].map(send);
    for (const [index, status] of [500, 200, 503].entries()) {
      await settled();
      sent[index]?.respond(status);
    }
    await settled();
    sent[3]?.abort();
    await settled();
    expect(begun).to.have.length(5);
    sent[4]?.respond(503);
    await settled();
    for (const url of ['/b1', '/a7']) send(url);
    sent[5]?.respond(503);
    await settled();
    expect(refused).to.have.members(['/b1', '/a7']);
  });

  it('refuses all waiting requests after each further failure, until a request succeeds', async () => {
    const { begun, refused, send } = createScene();
    /** Sends a request that gets a slot and one that waits, and responds to the former. */
    async function respondTo(name: string, statusCode: number) {
      const [running] = [`/${name}1`, `/${name}2`].map(send);
      await settled();
      running?.respond(statusCode);
      await settled();
    }
    for (const [index, url] of ['/a', '/a', '/a'].map((url) => send(url)).entries()) {
      await settled();
      url.respond(503);
      expect(begun).to.have.length(index + 1);
    }
    await respondTo('b', 503);
    await respondTo('c', 503);
    expect(refused).to.deep.equal(['/b2', '/c2']);
    await respondTo('d', 200);
    expect(refused).to.deep.equal(['/b2', '/c2']);
    expect(begun.at(-1)).to.equal('/d2');
  });

  it('removes requests whose clients leave, and serves health checks and metrics without a slot', async () => {
    const { requests, begun, send } = createScene();
    const [first, second] = [send('/a1'), send('/a2')];
    send('/healthz');
    send('/metrics');
    second.abort();
    expect(requests.load()).to.deep.equal({ working: 1, queued: 0, turnedAway: 0 });
    first.respond(200);
    await settled();
    expect(begun).to.have.members(['/a1', '/healthz', '/metrics']);
    expect(requests.load()).to.deep.equal({ working: 0, queued: 0, turnedAway: 0 });
  });
});

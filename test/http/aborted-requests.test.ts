import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import request from 'supertest';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { createLogger } from '../../src/logger.js';
import type { Context } from '../../src/services/context.js';
import { buildUser, factoryPassword } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { until } from '../support/until.js';

/** The fields of a log line that this test checks. */
interface Line {
  level: string;
  msg: string;
  req?: { path: string };
  res?: object;
  aborted?: boolean;
}

describe('A request whose client leaves before the response', () => {
  const lines: Line[] = [];
  const logger = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const harness = useHarness({ PORT: '0' }, logger);
  let server: RunningServer;
  afterEach(() => server.close());

  const text = async () => (await request(server.url).get('/metrics').expect(200)).text;

  it('is logged and counted as aborted, without an unsent status and not as an error', async () => {
    const { email } = await buildUser(harness.context);
    let compare: (() => void) | undefined;
    const waits = new Promise<void>((resolve) => (compare = resolve));
    let isComparing = false;
    const hasher = {
      ...harness.context.hasher,
      compare: async () => {
        isComparing = true;
        await waits;
        return true;
      },
    };
    server = await startServer(Object.create(harness.context, { hasher: { value: hasher } }) as Context);
    const body = JSON.stringify({ identifier: email, password: factoryPassword });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const headers = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`];
    socket.write(['POST /api/auth/login HTTP/1.1', ...headers, '', body].join('\r\n'));
    await until(() => isComparing);
    socket.destroy();
    const ofLogin = () => lines.filter(({ req }) => req?.path === '/api/auth/login');
    await until(() => ofLogin().length > 0);
    expect(ofLogin()).to.have.length(1);
    expect(ofLogin()[0]).to.include({ level: 'info', msg: 'request aborted', aborted: true });
    expect(ofLogin()[0]).not.to.have.property('res');
    const series = (await text()).split('\n').filter((line) => line.includes('path="/api/auth/login"'));
    expect(series.filter((line) => !line.includes('status="aborted"'))).to.deep.equal([]);
    expect(await text()).to.match(/^coursectl_http_requests_aborted_total 1$/m);
    compare?.();
    expect(lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});

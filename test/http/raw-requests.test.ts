import { once } from 'node:events';
import { expect } from 'chai';
import { factoryPassword, signIn } from '../support/factories.js';
import { useListeningService } from './support/listening-service.js';

const metricsToken = 'a-token-for-the-figures-only';

describe('A raw HTTP request', () => {
  const service = useListeningService();
  const { harness, open } = service;
  beforeEach(() => service.start({ TRUST_PROXY: '1', METRICS_TOKEN: metricsToken }));

  /** Sends lines, an empty line, and optionally more. @returns the first received data */
  async function responseTo(lines: readonly string[], more = ''): Promise<string> {
    const { socket } = await open(`${lines.join('\r\n')}\r\n\r\n${more}`);
    const [data] = (await once(socket, 'data')) as [Buffer];
    return data.toString('latin1');
  }

  const login = ['POST /api/auth/login HTTP/1.1', 'Host: example.org', 'Content-Type: application/json'];

  it('without a host cannot use the session cookie, whatever its origin', async () => {
    const { token } = await signIn(harness.context);
    const origins = ['Origin: https://undefined', 'Origin: https://example.org', 'Referer: http://example.org/'];
    for (const origin of origins)
      for (const lines of [['GET /api/auth/me HTTP/1.0'], ['GET /api/auth/me HTTP/1.1', 'Host:']])
        expect(await responseTo([...lines, `Cookie: coursectl=${token}; __Host-coursectl=${token}`, origin])).to.match(
          /^HTTP\/1.1 401 .*Access denied\. No token provided\./s,
          `${lines.join(', ')}, ${origin}`,
        );
  });

  it('gets 413 as soon as it announces or sends too many bytes', async () => {
    const chunk = `c000\r\n${'x'.repeat(0xc000)}\r\n`;
    for (const [line, body] of [
      ['Content-Length: 204800', ''],
      ['Transfer-Encoding: chunked', chunk],
    ] as const)
      expect(await responseTo([...login, line], body)).to.match(/^HTTP\/1.1 413 .*Request body too large\./s);
  });

  it('is served on the connection of a setup that was refused before its body was read', async () => {
    await signIn(harness.context, { role: 'super_admin' });
    const setup = ['POST /api/auth/setup HTTP/1.1', 'Host: example.org', 'Content-Length: 9000'];
    const next = 'GET /api/auth/setup-status HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n';
    const { closed, received } = await open(`${setup.join('\r\n')}\r\n\r\n${'{'.repeat(9000)}${next}`);
    await closed;
    const responses = received();
    expect(responses).to.match(
      /^HTTP\/1.1 400 .*System setup already completed\..*HTTP\/1.1 200 .*"superAdminCount":1/s,
    );
  });

  it('is refused with 400 if it has two Host headers, equal or not', async () => {
    for (const second of ['example.org', 'example.com']) {
      const response = await responseTo([
        'GET /api/auth/setup-status HTTP/1.1',
        'Host: example.org',
        `Host: ${second}`,
      ]);
      expect(response).to.match(/^HTTP\/1.1 400 .*The request has more than one Host header\./s);
    }
  });

  it('is attributed to the client address that the proxy names, whatever the number of headers', async () => {
    await signIn(harness.context, { email: 'ada@example.org' });
    const body = JSON.stringify({ identifier: 'ada@example.org', password: factoryPassword });
    // More headers than Node's default maximum.
    const others = Array.from({ length: 2100 }, (_, index) => `${index.toString(36)}:`);
    const forwarded = [
      ...others,
      'X-Forwarded-For: 203.0.113.9',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    expect(await responseTo([...login, ...forwarded], body)).to.match(/^HTTP\/1.1 200 /);
    const sessions = await harness.context.database.models.Session.findAll();
    expect(sessions.map(({ ip }) => ip)).to.include('203.0.113.9');
  });

  it('gets the metrics only with their token, with every spelling of the path', async () => {
    for (const path of ['/metrics', '/metrics/', '/metrics?x', '/metrics/?x', '//metrics', '/Metrics', '/metrics/x']) {
      const response = await responseTo([`GET ${path} HTTP/1.1`, 'Host: example.org']);
      expect(response, path).to.match(/^HTTP\/1.1 40[14] /);
      expect(response, path).not.to.include('coursectl_http');
    }
    for (const path of ['/metrics', '/metrics/']) {
      const response = await responseTo([
        `GET ${path} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${metricsToken}`,
      ]);
      expect(response, path).to.match(/^HTTP\/1.1 200 /);
    }
  });
});

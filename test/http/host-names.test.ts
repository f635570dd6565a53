import { expect } from 'chai';
import { useListeningService } from './support/listening-service.js';

const ada = JSON.stringify({
  ...{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org', phone: '1' },
  password: 'a-password',
});
const refusal =
  /^HTTP\/1.1 421 .*Error-Code: HOST_UNKNOWN.*\{"error":"The service listens on this machine only, .* Set PUBLIC_URL /s;

describe('A service on the loopback interface', () => {
  const service = useListeningService();

  /** Returns the whole response to a request. */
  async function responseTo(line: string, headers: readonly string[] = [], body = ''): Promise<string> {
    const lines = [line, ...headers, 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`];
    const { closed, received } = await service.open(`${lines.join('\r\n')}\r\n\r\n${body}`);
    await closed;
    return received();
  }
  const statusFor = async (line: string, ...headers: string[]) => (await responseTo(line, headers)).slice(9, 12);

  it('refuses setup by a page under another host name', async () => {
    await service.start();
    const json = ['Content-Type: application/json', 'X-Requested-With: x'];
    const setup = (host: string, body: string) =>
      responseTo('POST /api/auth/setup HTTP/1.1', [`Host: ${host}`, ...json], body);
    expect(await setup('evil.example:3000', ada)).to.match(refusal);
    // The body is not read.
    expect(await setup('evil.example:3000', '{')).to.match(refusal);
    expect(await setup('localhost:3000', ada)).to.match(/^HTTP\/1.1 201 /);
  });

  it('refuses other host names for pages, the API and probes', async () => {
    await service.start();
    for (const path of ['/', '/sign-in', '/api/courses', '/api/nowhere', '/healthz', '/readyz', '/metrics'])
      expect(await responseTo(`GET ${path} HTTP/1.1`, ['Host: evil.example']), path).to.match(refusal);
    expect(await responseTo('OPTIONS /api/courses HTTP/1.1', ['Host: evil.example'])).to.match(refusal);
  });

  it('ignores the final dot of PUBLIC_URL', async () => {
    await service.start({ PUBLIC_URL: 'https://courses.example.' });
    for (const host of ['courses.example', 'courses.example.'])
      expect(await statusFor('GET /healthz HTTP/1.1', `Host: ${host}`), host).to.equal('200');
  });

  it('accepts the names of the loopback interface with any port, and the name in PUBLIC_URL', async () => {
    await service.start({ PUBLIC_URL: 'https://courses.xn--bcher-kva.example' });
    for (const host of [
      ...[
        'localhost',
        'LOCALHOST:3000',
        'localhost.',
        'my.localhost:80',
        '127.0.0.1',
        '127.8.9.1:1',
        '[::1]:3000',
        '[::ffff:127.0.0.1]',
      ],
      ...['courses.xn--bcher-kva.example', 'Courses.xn--bcher-kva.example.:8443'],
    ])
      expect(await statusFor('GET /healthz HTTP/1.1', `Host: ${host}`), host).to.equal('200');
    for (const host of [
      ...[
        'evil.example',
        'EVIL.example:3000',
        'evil.example.',
        'localhost.evil.example',
        'notlocalhost',
        'localhost@evil',
      ],
      ...['127.0.0.1.evil.example', '0.0.0.0', '192.0.2.1', '[::]', '[2001:db8::1]', '::5', 'xn--bcher-kva.example'],
    ])
      expect(await statusFor('GET /healthz HTTP/1.1', `Host: ${host}`), host).to.equal('421');
  });

  it('refuses an unknown name in the target or in Host, and ignores headers of proxies', async () => {
    await service.start();
    const health = (target: string, ...headers: string[]) => statusFor(`GET ${target} HTTP/1.1`, ...headers);
    expect(await health('http://evil.example/healthz', 'Host: localhost')).to.equal('421');
    expect(await health('http://localhost@evil.example/healthz', 'Host: localhost')).to.equal('421');
    expect(await health('http://localhost:3000/healthz', 'Host: localhost')).to.equal('200');
    expect(await health('http://localhost/healthz', 'Host: evil.example')).to.equal('421');
    expect(await health('/healthz', 'Host: evil.example', 'X-Forwarded-Host: localhost')).to.equal('421');
    expect(await health('/healthz', 'Host: localhost', 'X-Forwarded-Host: evil.example')).to.equal('200');
    expect(await health('/healthz', 'Host: localhost', 'Host: evil.example')).to.equal('400');
    // Requests without a host are permitted: attacks need a browser, and browsers always send a host.
    expect(await statusFor('GET /healthz HTTP/1.0')).to.equal('200');
  });

  it('refuses other names than the name in HOST', async () => {
    await service.start({ HOST: 'localhost' });
    expect(await statusFor('GET /healthz HTTP/1.1', 'Host: evil.example')).to.equal('421');
  });
});

describe('A service that other machines reach', () => {
  const service = useListeningService();

  it('accepts any host name behind a trusted proxy and on other addresses', async () => {
    for (const settings of [{ TRUST_PROXY: 'loopback' }, { TRUST_PROXY: '10.0.0.1' }, { HOST: '0.0.0.0' }]) {
      await service.start(settings);
      const { closed, received } = await service.open(
        'GET /healthz HTTP/1.1\r\nHost: courses.example.org\r\nConnection: close\r\n\r\n',
      );
      await closed;
      expect(received(), JSON.stringify(settings)).to.match(/^HTTP\/1.1 200 /);
      await service.end();
    }
  });
});

import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { logStream } from '../../../../src/cli/core/output/log-stream.js';
import { AppError } from '../../../../src/errors.js';
import { createLogger, type Logger } from '../../../../src/logger.js';

interface Where {
  isTTY?: boolean;
  columns?: number;
  env?: Record<string, string>;
}

/** Returns the log on standard error. */
async function shown(
  format: 'auto' | 'pretty' | 'json',
  { isTTY = true, columns = 80, env = {} }: Where,
  log: (logger: Logger) => void,
): Promise<string> {
  const stderr = Object.assign(new PassThrough(), isTTY ? { isTTY, columns } : {});
  log(createLogger('trace', await logStream(format, { stderr, env })));
  return String(stderr.read() ?? '');
}

const plain = async (log: (logger: Logger) => void) =>
  stripVTControlCharacters(await shown('pretty', {}, log)).replaceAll(/^\[\d\d:\d\d:\d\d\] /gm, '');

const answered = (status: number, path = '/api/courses') => ({
  req: { id: 'aaaa0001', method: 'GET', path },
  res: { status },
  responseTime: 12,
  userId: 'cccc0003',
});

describe('The format of the log', () => {
  const hello = (logger: Logger) => logger.info({ port: 3000 }, 'hello');

  it('is readable at a terminal, and JSON elsewhere', async () => {
    const text = stripVTControlCharacters(await shown('auto', {}, hello));
    expect(text).to.match(/^\[\d\d:\d\d:\d\d\] INFO: hello \{"port":3000\}\n$/);
    expect(JSON.parse(await shown('auto', { isTTY: false }, hello))).to.include({ level: 'info', msg: 'hello' });
  });

  it('follows LOG_FORMAT everywhere', async () => {
    expect(JSON.parse(await shown('json', {}, hello))).to.include({ port: 3000, msg: 'hello' });
    expect(await shown('pretty', { isTTY: false }, hello)).to.match(/ hello \{"port":3000\}\n$/);
  });

  it('has colours on a terminal only, and none with NO_COLOR', async () => {
    const warning = (logger: Logger) => logger.warn({ count: 1 }, 'busy');
    expect(await shown('auto', {}, warning)).to.include('\u001b[33mWARN');
    for (const where of [{ env: { NO_COLOR: '1' } }, { env: { TERM: 'dumb' } }, { isTTY: false }])
      expect(await shown('pretty', where, warning)).to.match(/^\[\d\d:\d\d:\d\d\] WARN: busy \{"count":1\}\n$/);
  });
});

describe('A readable line of the log', () => {
  it('shows method, path, status, duration and account of a request', async () => {
    expect(await plain((logger) => logger.info(answered(200), 'request'))).to.equal(
      'INFO: request GET /api/courses 200 12 ms by cccc0003\n',
    );
  });

  it('shows the id of a failed or aborted request, too', async () => {
    expect(await plain((logger) => logger.info(answered(503), 'request failed'))).to.equal(
      'INFO: request failed GET /api/courses 503 12 ms by cccc0003 request aaaa0001\n',
    );
    const { res, ...unanswered } = { ...answered(200), aborted: true };
    expect(await plain((logger) => logger.info(unanswered, 'request aborted'))).to.equal(
      'INFO: request aborted GET /api/courses 12 ms by cccc0003 request aaaa0001\n',
    );
  });

  it('is followed by code, stack and causes of an error', async () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const error = new AppError('DATABASE_UNREACHABLE', 'No database.', { cause });
    const text = await plain((logger) => logger.error({ req: answered(0).req, err: error }, 'request failed'));
    expect(text).to.match(/^ERROR: request failed GET \/api\/courses request aaaa0001 *\n {4}err: /);
    expect(text).to.include('"code": "DATABASE_UNREACHABLE"').and.to.include('"code": "ECONNREFUSED"');
    expect(text)
      .to.match(/No database\.\n +at .*log-stream\.test/)
      .and.to.match(/Error: refused\n +at /);
    expect(await plain((logger) => logger.error({ err: 'only text' }, 'x'))).to.include('"message": "only text"');
  });
});

describe('Both formats of the log', () => {
  const secrets = {
    password: 'hunter2',
    a: { token: 'hunter2', b: { newPassword: 'hunter2' } },
    list: [{ passwordHash: 'hunter2' }],
    req: { method: 'GET', path: '/x', headers: { authorization: 'Bearer hunter2', cookie: 'hunter2' } },
  };
  // Clears the screen, uses C1 controls, forges a line and reorders text.
  const hostile = 'a\u001b[2Jb\u009b31mc\r\n00:00:00 forged\u202e\u0007\u2028';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  const raw = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/;

  for (const format of ['json', 'pretty'] as const) {
    it(`redact secrets: ${format}`, async () => {
      const text = await shown(format, {}, (logger) => {
        logger.info(secrets, 'secrets');
        logger.child({ req: { headers: { authorization: 'Bearer hunter2' } } }).warn('asked');
        logger.error({ err: new Error("Duplicate entry 'hunter2' for key 'users.email'") });
      });
      expect(text).not.to.include('hunter2');
      expect(text).to.include('[redacted]');
    });

    it(`escape control sequences and line breaks of clients: ${format}`, async () => {
      const text = await shown(format, { env: { NO_COLOR: '1' } }, (logger) => {
        logger.info({ ...answered(404, `/${hostile}`), userAgent: hostile }, hostile);
        logger.warn({ [hostile]: hostile, deep: { [hostile]: [hostile, { list: [hostile] }] } }, hostile);
        logger.error({ err: Object.assign(new Error(hostile), { code: hostile }) }, hostile);
        logger.error({ err: new Error('x', { cause: new Error(hostile) }) });
      });
      expect(text).not.to.match(raw);
      expect(text).not.to.match(/^00:00:00 forged/m);
      expect(text).to.include('\\u001b[2J');
    });
  }
});

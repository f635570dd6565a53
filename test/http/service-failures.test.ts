import { expect } from 'chai';
import express from 'express';
import pino from 'pino';
import request from 'supertest';
import { AppError } from '../../src/errors.js';
import { createErrorHandler, isServiceFailure } from '../../src/http/routing/errors.js';

describe('A response counts as a failure of the service', () => {
  const cases: readonly [name: string, error: unknown, isFailure: boolean][] = [
    ['when the database was too busy', new AppError('OVERLOADED', 'Busy.', { cause: new Error('deadlock') }), true],
    ['when the database was away', new AppError('DATABASE_UNREACHABLE', 'Away.'), true],
    ['when the program has a bug', new Error('bug'), true],
    ['but not when a client has too many requests of its own', new AppError('OVERLOADED'), false],
    ['but not when nothing was found', new AppError('NOT_FOUND'), false],
  ];
  for (const [name, error, isFailure] of cases)
    it(name, async () => {
      let counted: boolean | undefined;
      const app = express();
      app.get('/', (_request, response) => {
        response.once('finish', () => {
          counted = isServiceFailure(response);
        });
        throw error;
      });
      app.use(createErrorHandler(pino({ enabled: false })));
      await request(app).get('/');
      expect(counted).to.equal(isFailure);
    });
});

describe('A refusal has a public code', () => {
  const headerOf = async (error: unknown) => {
    const app = express();
    app.get('/', () => {
      throw error;
    });
    app.use(createErrorHandler(pino({ enabled: false })));
    return (await request(app).get('/')).headers['error-code'];
  };
  const cases: readonly [name: string, error: unknown, code: string][] = [
    ['its own', new AppError('EMAIL_TAKEN'), 'EMAIL_TAKEN'],
    ['VALIDATION for invalid input', new AppError('VALIDATION'), 'VALIDATION'],
    [
      'UNAVAILABLE for temporary failures',
      new AppError('DATABASE_ACCESS_DENIED', 'The user coursectl ...'),
      'UNAVAILABLE',
    ],
    ['SERVER_ERROR for failures that an operator must repair', new AppError('SCHEMA_OUTDATED'), 'SERVER_ERROR'],
    ['SERVER_ERROR for a bug', new Error('bug'), 'SERVER_ERROR'],
    ['MALFORMED_URL for a URL that cannot be decoded', new URIError('x'), 'MALFORMED_URL'],
  ];
  for (const [name, error, code] of cases)
    it(name, async () => {
      expect(await headerOf(error)).to.equal(code);
    });
});

describe('A response that fails after its beginning', () => {
  it('does not look complete', async () => {
    const app = express();
    app.get('/', (_request, response, next) => {
      response.write('half', () => next(new AppError('STORAGE_UNAVAILABLE')));
    });
    app.use(createErrorHandler(pino({ enabled: false })));
    const failure = await request(app)
      .get('/')
      .catch((error: unknown) => error);
    expect(failure).to.include({ code: 'ECONNRESET' });
  });
});

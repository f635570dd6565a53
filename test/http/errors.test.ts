import { expect } from 'chai';
import express from 'express';
import request from 'supertest';
import { AppError } from '../../src/errors.js';
import { createErrorHandler } from '../../src/http/server/errors.js';
import { createLogger } from '../../src/logger.js';

describe('An answer that fails half-way', () => {
  it('does not look complete', async () => {
    const app = express();
    app.get('/', (_request, response, next) => {
      response.write('half', () => next(new AppError('STORAGE_UNAVAILABLE')));
    });
    app.use(createErrorHandler(createLogger('silent', { write: () => undefined })));
    const failure = await request(app)
      .get('/')
      .catch((error: unknown) => error);
    expect(failure).to.include({ code: 'ECONNRESET' });
  });
});

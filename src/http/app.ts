import express, { type Express } from 'express';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { bindContract } from './bind.js';
import { errorHandler } from './errors.js';
import { authHandlers } from './handlers/auth.js';
import { listingHandlers } from './handlers/listings.js';
import { serviceHandlers } from './handlers/service.js';
import { sessionHandlers } from './handlers/sessions.js';
import { corsMiddleware } from './middleware/cors.js';
import { requestLog } from './middleware/request-log.js';

/** The API as an Express application. @param isDraining whether the server has stopped taking new work */
export function createApp(context: Context, isDraining: () => boolean = () => false): Express {
  const app = express();
  const { trustProxy, allowedOrigins } = context.config.http;
  app.set('trust proxy', typeof trustProxy === 'object' ? [...trustProxy] : trustProxy);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.use(requestLog(context.logger));
  app.use((_request, response, next) => {
    // Answers belong to one caller: no cache on the way may keep them.
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  app.use('/api', corsMiddleware(allowedOrigins));
  app.use(
    bindContract(context, { ...authHandlers, ...sessionHandlers, ...listingHandlers, ...serviceHandlers(isDraining) }),
  );
  app.use(() => {
    throw new AppError('NOT_FOUND');
  });
  app.use(errorHandler);
  return app;
}

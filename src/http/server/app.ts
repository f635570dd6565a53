import express, { type Express, type RequestHandler } from 'express';
import { AppError } from '../../errors.js';
import { createUntrustedProxyWarner } from '../../services/auth/untrusted-proxy.js';
import type { Context } from '../../services/context.js';
import { auditHandlers } from '../handlers/audit.js';
import { authHandlers } from '../handlers/auth.js';
import { certificateHandlers } from '../handlers/certificates.js';
import { courseHandlers } from '../handlers/courses.js';
import { enrollmentHandlers } from '../handlers/enrollments.js';
import { fileHandlers } from '../handlers/files.js';
import { groupHandlers } from '../handlers/groups.js';
import { identityHandlers } from '../handlers/identities.js';
import { importHandlers } from '../handlers/imports.js';
import { linkHandlers } from '../handlers/links.js';
import { mailHandlers } from '../handlers/mails.js';
import { overviewHandlers } from '../handlers/overview.js';
import { serviceHandlers } from '../handlers/service.js';
import { sessionHandlers } from '../handlers/sessions.js';
import { userHandlers } from '../handlers/users.js';
import { corsMiddleware, securityHeaders } from '../middleware/headers.js';
import { requestLog } from '../middleware/request-log.js';
import { type Deadlines, standardDeadlines } from '../overload/deadlines.js';
import { trustOf } from '../routing/client.js';
import { createErrorHandler } from '../routing/errors.js';
import { assertOwnHost } from '../routing/host-names.js';
import { createMetrics } from '../routing/metrics.js';
import { parseQuery } from '../routing/parse-query.js';
import { boundResponses } from '../routing/respond.js';
import { bindContract } from '../routing/router.js';
import type { ServerHandle } from '../routing/server-handle.js';

/** Defaults without a server: ready, without import worker and limits. */
const standalone: ServerHandle = {
  isDraining: () => false,
  listensOnLoopback: () => false,
  notReadyError: () => undefined,
  wakeImports: () => undefined,
  finishBeforeShutdown: (work) => work,
  deadlines: standardDeadlines,
};

/** The parts of a server that differ from {@link standalone}. */
type ServerOverrides = Partial<Omit<ServerHandle, 'deadlines'>> & { deadlines?: Partial<Deadlines> };

/**
 * Refuses two Host headers, because proxies may read them differently (RFC 9112, section 3.2).
 * @throws AppError `MALFORMED_URL`
 */
const assertOneHost: RequestHandler = ({ headersDistinct }, _response, next) => {
  if ((headersDistinct.host?.length ?? 0) > 1)
    throw new AppError('MALFORMED_URL', 'The request has more than one Host header.');
  next();
};

/** Restricts a middleware to paths of the API. */
function forApiPaths(middleware: RequestHandler): RequestHandler {
  return (request, response, next) => {
    if (/^\/api(\/|$)/.test(request.path)) middleware(request, response, next);
    else next();
  };
}

/** Creates a middleware that warns about proxies that send X-Forwarded-For, but are not in TRUST_PROXY. */
function untrustedProxy(context: Context): RequestHandler {
  const warn = createUntrustedProxyWarner(context);
  return (request, _response, next) => {
    const { remoteAddress } = request.socket;
    const isTrusted = trustOf(request.app);
    if (request.headers['x-forwarded-for'] !== undefined && remoteAddress !== undefined && !isTrusted(remoteAddress, 0))
      void warn(remoteAddress);
    next();
  };
}

/**
 * Combines middlewares into one, because a layer of Express' router takes longer than most of them. The middlewares must call
 * `next` or throw synchronously. The rejection of an `async` middleware would be lost.
 */
function compose(...middlewares: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let position = 0;
    function proceed(error?: unknown): void {
      const middleware = error ? undefined : middlewares[position];
      position += 1;
      if (middleware) void middleware(request, response, proceed);
      else next(error);
    }
    proceed();
  };
}

/**
 * Creates the API as an Express application.
 * @param overrides parts of the server; {@link standalone} for absent parts
 * @param consolePages serves the web console, if it is enabled
 */
export function createApp(context: Context, overrides: ServerOverrides = {}, consolePages?: RequestHandler): Express {
  const server = { ...standalone, ...overrides, deadlines: { ...standalone.deadlines, ...overrides.deadlines } };
  const app = express();
  const { trustProxy, allowedOrigins } = context.config.http;
  app.set('trust proxy', typeof trustProxy === 'object' ? [...trustProxy] : trustProxy);
  app.set('query parser', parseQuery);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  const metrics = server.metrics ?? createMetrics(context, server.load);
  app.use(
    compose(
      boundResponses(server),
      requestLog(context.logger),
      metrics.middleware,
      securityHeaders(),
      assertOneHost,
      assertOwnHost(context.config, server),
      forApiPaths(
        compose(
          corsMiddleware(allowedOrigins),
          (_request, _response, next) => next(server.notReadyError()),
          untrustedProxy(context),
        ),
      ),
      bindContract(
        context,
        {
          ...authHandlers,
          ...linkHandlers,
          ...sessionHandlers,
          ...identityHandlers,
          ...userHandlers,
          ...groupHandlers,
          ...courseHandlers,
          ...enrollmentHandlers,
          ...certificateHandlers(context),
          ...fileHandlers,
          ...importHandlers(server),
          ...auditHandlers,
          ...mailHandlers,
          ...overviewHandlers,
          ...serviceHandlers(context, server, metrics),
        },
        server,
      ),
    ),
  );
  if (consolePages) app.use(consolePages);
  app.use(() => {
    throw new AppError('NOT_FOUND');
  });
  app.use(createErrorHandler(context.logger));
  return app;
}

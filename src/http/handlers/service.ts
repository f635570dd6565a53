import { AppError } from '../../errors.js';
import type { Service } from '../app.js';
import type { Handlers } from '../bind.js';
import { docsPage } from '../docs.js';
import { assertMayRead, type Metrics } from '../metrics.js';
import { openapiDocument } from '../openapi.js';

/** The handlers of the service itself: health, readiness, figures and documentation. */
export function serviceHandlers({ isDraining, notReady }: Service, metrics: Metrics) {
  let document: object | undefined;
  return {
    health: async () => ({ status: 'ok' }),

    async readiness({ context }) {
      if (isDraining()) throw new AppError('NOT_READY', 'The service is shutting down.');
      const reason = notReady();
      if (reason) throw reason;
      await context.schema.assertCurrent();
      return { status: 'ok' };
    },

    async openapi() {
      document ??= openapiDocument();
      return document;
    },

    docs: async () => docsPage(),

    async metrics({ context, authorization }) {
      assertMayRead(context, authorization);
      const { contentType } = metrics;
      return {
        contentType,
        async *pieces() {
          yield await metrics.text();
        },
      };
    },
  } satisfies Partial<Handlers>;
}

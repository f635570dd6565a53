import { AppError } from '../../errors.js';
import type { Service } from '../app.js';
import type { Handlers } from '../bind.js';
import { openapiDocument } from '../openapi.js';

export function serviceHandlers({ isDraining, notReady }: Service) {
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
  } satisfies Partial<Handlers>;
}

import { AppError, isAppError } from '../../errors.js';
import type { Context } from '../../services/context.js';
import { actorOf } from '../../services/core.js';
import { loadDemoIfEmpty, showDemo } from '../../services/maintenance/demo.js';
import { docsPage } from '../api/docs-page/page.js';
import { openapiDocument } from '../api/document/openapi.js';
import { messageOf } from '../api/failures.js';
import { encodeOnce } from '../body/encodings.js';
import { type StreamedResponse, textResponse } from '../body/streams.js';
import type { Handlers } from '../routing/handler.js';
import { assertMayRead, type Metrics } from '../routing/metrics.js';
import type { ServerHandle } from '../routing/server-handle.js';

/** Time for which requests share a result about the database, in milliseconds. */
const readinessCacheMs = 1000;
/** Time for which requests share the metrics text, in milliseconds. Generating the text takes milliseconds. */
const metricsCacheMs = 250;

/** Returns a function that shares a result between its calls for some time. */
function cached<T>(produce: () => Promise<T>, milliseconds: number): () => Promise<T> {
  let last: { result: Promise<T>; at: number } | undefined;
  return () => {
    const at = performance.now();
    if (!last || at - last.at >= milliseconds) last = { result: produce(), at };
    return last.result;
  };
}

const encodeJson = (document: object) =>
  encodeOnce(document, JSON.stringify(document), { 'Content-Type': 'application/json; charset=utf-8' });

const encodePage = ({ html, policy }: ReturnType<typeof docsPage>) =>
  encodeOnce(textResponse(html), html, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
  });

/** Creates the handlers for health, readiness, metrics, the demo programme and documentation. */
export function serviceHandlers(context: Context, server: ServerHandle, metrics: Metrics) {
  const { isDraining, notReadyError, load } = server;
  let document: Promise<object> | undefined;
  let page: Promise<StreamedResponse> | undefined;
  const metricsText = cached(() => metrics.text(), metricsCacheMs);
  const assertUsable = cached(async () => {
    try {
      await context.schema.assertCurrent();
      await context.schema.assertSpaceLeft();
    } catch (error) {
      // Other operations report these as server errors. Here they mean that the service isn't ready.
      if (isAppError(error, 'SCHEMA_OUTDATED')) throw new AppError('NOT_READY', undefined, { cause: error });
      if (isAppError(error, 'DISK_FULL')) throw new AppError('NOT_READY', messageOf('DISK_FULL'), { cause: error });
      throw error;
    }
  }, readinessCacheMs);
  return {
    health: async () => ({ status: 'ok' }),

    async readiness() {
      if (isDraining()) throw new AppError('NOT_READY', 'The service is shutting down.');
      const reason = notReadyError();
      if (reason) throw reason;
      await assertUsable();
      const currentLoad = load?.();
      if (!currentLoad) return { status: 'ok' };
      const { working, queued, turnedAway, waiting, connections } = currentLoad;
      return { status: 'ok', requests: { working, queued, turnedAway }, waiting, connections };
    },

    showDemo: async () => ({ demo: await showDemo(context) }),

    async loadDemo({ caller, signal }) {
      const { demo } = await loadDemoIfEmpty(context, actorOf(caller), { signal });
      return { message: 'Demo programme loaded.', demo };
    },

    openapi() {
      document ??= encodeJson(openapiDocument());
      return document;
    },

    docs() {
      page ??= encodePage(docsPage());
      return page;
    },

    async metrics({ authorization }) {
      assertMayRead(context, authorization);
      const { contentType } = metrics;
      return {
        contentType,
        async *pieces() {
          yield await metricsText();
        },
      };
    },
  } satisfies Partial<Handlers>;
}

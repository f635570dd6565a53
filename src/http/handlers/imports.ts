import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import { presentImport, presentImportRow, presentKeptReasons } from '../../presenters/import.js';
import { presentImportWithPlan } from '../../presenters/import-plan.js';
import { undoQuerySchema } from '../../schemas/import.js';
import { validate } from '../../schemas/validate.js';
import { isSignedIn } from '../../services/auth/sessions.js';
import { actorOf, type Caller } from '../../services/core.js';
import { cancelImport, previewUndo, requeueImport, undoImport } from '../../services/imports/commands.js';
import {
  assertRejectsReadable,
  ledgerCsv,
  rejectedCsv,
  reportTypes,
} from '../../services/imports/output/ledger-export.js';
import { exampleText, templateText } from '../../services/imports/output/template.js';
import { findImport, listImports } from '../../services/imports/queries.js';
import { assertFetchable, type CredentialsClaim, claimCredentials } from '../../services/imports/queue/credentials.js';
import { applyPlan, replanImport } from '../../services/imports/queue/plan-commands.js';
import { findPlan } from '../../services/imports/queue/plan-store.js';
import { submitImport } from '../../services/imports/queue/submit.js';
import { listImportRows } from '../../services/imports/rows.js';
import { resumesAutomatically } from '../../services/imports/run/repository.js';
import type { Handlers } from '../server/handler.js';
import type { ServerHandle } from '../server/server-handle.js';

/** How often a watched import is read, in milliseconds. */
const watchMs = 500;
/** How often a comment is sent, so that proxies don't close the idle connection, in milliseconds. */
const heartbeatMs = 15_000;

/** How often the session of the caller is checked, in milliseconds. */
const sessionMs = 3000;

/** How many streams of events an account may have on an instance: each reads its import twice a second. */
const mostStreams = 20;

const underWay = new Set(['planning', 'queued', 'running', 'undoing']);

/** An import with its plan, as clients see it. */
const shownImport = async (context: Context, record: Awaited<ReturnType<typeof findImport>>) =>
  presentImportWithPlan(record, await findPlan(context, record));

async function* eventsOf(
  context: Context,
  caller: Caller,
  id: string,
  signal: AbortSignal,
  isDraining: () => boolean,
): AsyncGenerator<string> {
  let shown = '';
  let admittedAt = performance.now();
  let sentAt = performance.now();
  while (!signal.aborted) {
    if (performance.now() - admittedAt > sessionMs) {
      if (!(await isSignedIn(context, caller))) return;
      admittedAt = performance.now();
    }
    const found = await findImport(context, id);
    const data = JSON.stringify({ import: await shownImport(context, found) });
    if (data !== shown) {
      yield `event: progress\ndata: ${data}\n\n`;
      shown = data;
      sentAt = performance.now();
    } else if (performance.now() - sentAt > heartbeatMs) {
      yield ': still there\n\n';
      sentAt = performance.now();
    }
    // The worker resumes its own imports.
    if (!underWay.has(found.status) && !resumesAutomatically(found)) {
      yield `event: end\ndata: ${data}\n\n`;
      return;
    }
    // The client reconnects, to another instance.
    if (isDraining()) return;
    // It rejects only when the client has disconnected, which ends the loop.
    await sleep(watchMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Counts the streams of each account. */
function createStreamLimit() {
  const counts = new Map<string, number>();
  return {
    /** Streams while the account has fewer than its limit. @throws AppError `OVERLOADED`, instead of the first piece */
    async *within(account: string, stream: AsyncIterable<string>): AsyncGenerator<string> {
      const count = counts.get(account) ?? 0;
      if (count >= mostStreams) throw new AppError('OVERLOADED');
      counts.set(account, count + 1);
      try {
        yield* stream;
      } finally {
        const left = (counts.get(account) ?? 1) - 1;
        if (left > 0) counts.set(account, left);
        else counts.delete(account);
      }
    },
  };
}

/** Fields that were left blank say nothing; a single `map` is a list of one. */
function formOptions(fields: object): object {
  const filled = Object.entries(fields).filter(([, value]) => value !== '');
  const { map, ...options } = Object.fromEntries(filled) as { map?: unknown };
  return map === undefined ? options : { ...options, map: [map].flat() };
}

/** Where an import can be watched. */
const placeOf = ({ id }: { id: string }) => `/api/imports/${id}`;

export function importHandlers(service: ServerHandle) {
  const { isDraining, wakeImports } = service;
  const streams = createStreamLimit();
  return {
    importTemplate: async () => ({
      filename: 'people.csv',
      async *pieces() {
        yield templateText;
      },
    }),

    importExample: async () => ({
      filename: 'trainees.csv',
      async *pieces() {
        yield await exampleText();
      },
    }),

    async createImport({ context, caller, receive, setHeader }) {
      const upload = await receive();
      const record = await submitImport(context, actorOf(caller), upload.file, formOptions(upload.fields));
      wakeImports();
      setHeader('Location', placeOf(record));
      return { import: await shownImport(context, await findImport(context, record.id)) };
    },

    async listImports({ context, query }) {
      const { items, pagination } = await listImports(context, query);
      return { imports: items.map(presentImport), pagination };
    },

    async showImport({ context, params }) {
      return { import: await shownImport(context, await findImport(context, params.id)) };
    },

    async watchImport({ context, caller, params, signal }) {
      const { id } = await findImport(context, params.id);
      return { pieces: () => streams.within(caller.user.id, eventsOf(context, caller, id, signal, isDraining)) };
    },

    async importRejects({ context, params }) {
      const record = await findImport(context, params.id);
      await assertRejectsReadable(record);
      const contentType = reportTypes(record).rejects;
      return { filename: `rejected-${record.id}.csv`, contentType, pieces: () => rejectedCsv(record) };
    },

    async importOutcome({ context, params }) {
      const record = await findImport(context, params.id);
      return { filename: `outcome-${record.id}.csv`, pieces: () => ledgerCsv(context, record) };
    },

    async importCredentials({ context, caller, params }) {
      const record = await findImport(context, params.id);
      const { id } = record;
      // HEAD claims nothing, and answers as GET would.
      assertFetchable(record);
      let claim: CredentialsClaim | undefined;
      return {
        filename: `credentials-${id}.csv`,
        contentType: reportTypes(record).credentials,
        async *pieces() {
          claim = await claimCredentials(context, actorOf(caller), id);
          yield* claim.bytes();
        },
        settled: async (arrived) => {
          if (claim) await service.await(arrived ? claim.done() : claim.failed());
        },
      };
    },

    async planImport({ context, caller, params, body, setHeader }) {
      const record = await replanImport(context, actorOf(caller), params.id, body);
      wakeImports();
      setHeader('Location', placeOf(record));
      return { import: await shownImport(context, record) };
    },

    async applyImport({ context, caller, params, body, signal, setHeader }) {
      const record = await applyPlan(context, actorOf(caller), params.id, body, signal);
      wakeImports();
      setHeader('Location', placeOf(record));
      return { import: await shownImport(context, record) };
    },

    async listImportRows({ context, params, query }) {
      const { items, pagination } = await listImportRows(context, params.id, query);
      return { rows: items.map(presentImportRow), pagination };
    },

    async cancelImport({ context, caller, params }) {
      const record = await cancelImport(context, actorOf(caller), params.id);
      const messages = new Map([
        ['cancelled', 'Import cancelled.'],
        ['discarded', 'Plan discarded.'],
      ]);
      const message = messages.get(record.status) ?? 'Import will end at the next batch of rows.';
      return { message, import: presentImport(record) };
    },

    async resumeImport({ context, caller, params, setHeader }) {
      const record = await requeueImport(context, actorOf(caller), params.id);
      wakeImports();
      setHeader('Location', placeOf(record));
      return { import: presentImport(record) };
    },

    async undoImport({ context, caller, params, query, signal }) {
      const id = params.id;
      const { dryRun } = validate(undoQuerySchema, query);
      const undo = dryRun
        ? await previewUndo(context, id, signal)
        : await undoImport(context, actorOf(caller), id, { signal, onWait: () => undefined });
      const message = dryRun ? 'Nothing was undone: this is what would be.' : 'Import undone.';
      const keptReasons = presentKeptReasons(undo.kept);
      return { message, undo, keptReasons, import: presentImport(await findImport(context, id)) };
    },
  } satisfies Partial<Handlers>;
}

import { createFairQueue } from '../../fair-queue.js';
import { presentImport, presentImportRow, presentKeptReasons } from '../../presenters/import.js';
import { reportQuerySchema, undoQuerySchema } from '../../schemas/import.js';
import { tableQuerySchema } from '../../schemas/table-format.js';
import { validate } from '../../schemas/validate.js';
import { actorOf, queueOwnerOf } from '../../services/core.js';
import { cancelImport, previewUndo, requeueImport, undoImport } from '../../services/imports/commands.js';
import { ledgerTable } from '../../services/imports/output/ledger-export.js';
import { csvTypeOf, defaultRejectsFormat, openRejects } from '../../services/imports/output/report-downloads.js';
import { exampleText, templateTable } from '../../services/imports/output/template.js';
import { assertFetchable, type CredentialsClaim, claimCredentials } from '../../services/imports/queue/credentials.js';
import { queuePlannedImport, replanImport } from '../../services/imports/queue/plan-commands.js';
import { type RunInQueue, submitImport } from '../../services/imports/queue/submit.js';
import { findImport, listImports } from '../../services/imports/store/find-import.js';
import { listImportRows } from '../../services/imports/store/row-listing.js';
import { extentOf } from '../../services/imports/undo/undo.js';
import { workbookType } from '../api/operation.js';
import { tableResponse } from '../body/streams.js';
import type { Handlers } from '../routing/handler.js';
import type { ServerHandle } from '../routing/server-handle.js';
import { createImportWatch, describeImport, withTrainer } from './import-events.js';

const lists: readonly string[] = ['map', 'mapCourse', 'otherCourses'];

/** Removes blank fields, and turns single values of lists into lists. */
function formOptions(fields: object): object {
  const filled = Object.entries(fields).filter(([, value]) => value !== '');
  return Object.fromEntries(filled.map(([name, value]) => [name, lists.includes(name) ? [value].flat() : value]));
}

const undoMessages = {
  all: 'Import undone.',
  part: 'Import undone in part.',
  nothing: 'Nothing was undone: all accounts are kept.',
} as const;

/** Returns the URL path of an import. */
const pathOf = ({ id }: { id: string }) => `/api/imports/${id}`;

/** Limits of the queue that opens one uploaded workbook at a time. */
const openLimits = { capacity: 1, entries: 50, entriesPerOwner: 10, waitMs: 20_000 };

export function importHandlers(server: ServerHandle) {
  const openQueue = createFairQueue(openLimits);
  const { isDraining, wakeImports } = server;
  const watch = createImportWatch(isDraining);
  return {
    importTemplate: async ({ caller, query }) =>
      tableResponse(templateTable(actorOf(caller)), 'people', validate(tableQuerySchema, query).format),

    importExample: async () => ({
      filename: 'trainees.csv',
      async *pieces() {
        yield await exampleText();
      },
    }),

    async createImport({ context, caller, receive, setHeader, signal, withoutSlot }) {
      const upload = await receive();
      const actor = actorOf(caller);
      const runInQueue: RunInQueue = (work) =>
        withoutSlot(() => openQueue.run({ owner: queueOwnerOf(actor), signal }, () => work(signal)));
      const record = await submitImport(context, actor, upload.file, formOptions(upload.fields), runInQueue, signal);
      wakeImports();
      setHeader('Location', pathOf(record));
      return { import: await describeImport(context, await findImport(context, actor, record.id)) };
    },

    async listImports({ context, caller, query }) {
      const { items, pagination } = await listImports(context, actorOf(caller), query);
      return { imports: items.map(presentImport), pagination };
    },

    async showImport({ context, caller, params }) {
      return { import: await describeImport(context, await findImport(context, actorOf(caller), params.id)) };
    },

    async watchImport({ context, caller, params, signal }) {
      const { id } = await findImport(context, actorOf(caller), params.id);
      return { pieces: () => watch(context, caller, id, signal) };
    },

    async importRejects({ context, caller, params, query }) {
      const options = validate(reportQuerySchema, query);
      const record = await findImport(context, actorOf(caller), params.id);
      const { format = defaultRejectsFormat(record) } = options;
      const pieces = await openRejects(context, record, format);
      const contentType = format === 'xlsx' ? workbookType : csvTypeOf(record, 'rejects');
      return { filename: `rejected-${record.id}.${format}`, contentType, pieces };
    },

    async importOutcome({ context, caller, params, query }) {
      const { format } = validate(tableQuerySchema, query);
      const record = await findImport(context, actorOf(caller), params.id);
      return tableResponse(ledgerTable(context, actorOf(caller), record), `outcome-${record.id}`, format);
    },

    async importCredentials({ context, caller, params, query }) {
      const { format } = validate(tableQuerySchema, query);
      const record = await findImport(context, actorOf(caller), params.id);
      const { id } = record;
      // HEAD doesn't claim the passwords, but gets the same refusals as GET.
      assertFetchable(record);
      let claim: CredentialsClaim | undefined;
      return {
        filename: `credentials-${id}.${format}`,
        contentType: format === 'xlsx' ? workbookType : csvTypeOf(record, 'credentials'),
        async *pieces() {
          claim = await claimCredentials(context, actorOf(caller), id);
          yield* claim.bytes(format);
        },
        onEnd: async (arrived) => {
          if (claim) await server.finishBeforeShutdown(arrived ? claim.done() : claim.failed());
        },
      };
    },

    async planImport({ context, caller, params, body, setHeader }) {
      const record = await replanImport(context, actorOf(caller), params.id, body);
      wakeImports();
      setHeader('Location', pathOf(record));
      return { import: await describeImport(context, record) };
    },

    async applyImport({ context, caller, params, body, setHeader }) {
      const record = await queuePlannedImport(context, actorOf(caller), params.id, body);
      wakeImports();
      setHeader('Location', pathOf(record));
      return { import: await describeImport(context, record) };
    },

    async listImportRows({ context, caller, params, query }) {
      const { items, pagination } = await listImportRows(context, actorOf(caller), params.id, query);
      return { rows: items.map(presentImportRow), pagination };
    },

    async cancelImport({ context, caller, params }) {
      const record = await cancelImport(context, actorOf(caller), params.id);
      const messages = new Map([
        ['cancelled', 'Import cancelled.'],
        ['discarded', 'Plan discarded.'],
      ]);
      const message = messages.get(record.status) ?? 'Import will end at the next batch of rows.';
      return { message, import: presentImport(await withTrainer(context, record)) };
    },

    async resumeImport({ context, caller, params, setHeader }) {
      const record = await requeueImport(context, actorOf(caller), params.id);
      wakeImports();
      setHeader('Location', pathOf(record));
      return { import: presentImport(await withTrainer(context, record)) };
    },

    async undoImport({ context, caller, params, query, signal }) {
      const id = params.id;
      const actor = actorOf(caller);
      const { dryRun } = validate(undoQuerySchema, query);
      const undo = dryRun
        ? await previewUndo(context, actor, id, signal)
        : await undoImport(context, actor, id, { signal });
      const message = dryRun ? 'Nothing was undone. This is a preview.' : undoMessages[extentOf(undo)];
      const keptReasons = presentKeptReasons(undo.kept);
      return { message, undo, keptReasons, import: presentImport(await findImport(context, actor, id)) };
    },
  } satisfies Partial<Handlers>;
}

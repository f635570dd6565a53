import type { Lease } from '../../../db/lease.js';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import type { Actor, Core } from '../../core.js';
import { removeSpooledFile } from '../queue/spool.js';
import { undoRows } from '../undo/undo.js';
import { countKept } from './ledger.js';
import { optionsOf } from './repository.js';
import { advance, type ImportRun } from './run.js';

/**
 * Whether an import was refused with `abort` and its rows are not all undone. An undo that a person began has no such error,
 * is of an import that may keep its rows, or of one that was undone to its end before: only a person resumes that.
 */
export function isRefusalUnfinished(record: Import): boolean {
  const { status, errorCode, undoneAt } = record;
  const isRefused = status === 'undoing' && errorCode === 'IMPORT_REFUSED' && undoneAt === null;
  return isRefused && optionsOf(record).onError === 'abort';
}

/**
 * Undoes what the rows of a refused import did so far. If it breaks off, {@link finishRefusal} does the rest.
 * @param why a sentence for the operator
 * @returns the error that the import ends with
 */
export async function undoRefused(
  { core, actor, record, lease }: Pick<ImportRun, 'core' | 'actor' | 'record' | 'lease'>,
  why: string,
): Promise<AppError> {
  const step = { core, record, lease };
  // With the reason: when another run finishes it, the rows may be good by then.
  const reason = { errorCode: 'IMPORT_REFUSED', errorMessage: why };
  await undoRows(core, actor, record, (progress, work) => advance(step, { ...progress, ...reason }, work));
  const kept = await countKept(core, record.id);
  // Said of that time: they may be undone later.
  const rest =
    kept === 0
      ? 'Nothing was imported.'
      : `What was imported was undone, except for ${kept === 1 ? '1 account that had' : `${kept} accounts that had`} been used or changed since: coursectl imports show ${record.number}`;
  const error = new AppError('IMPORT_REFUSED', `${why} ${rest}`);
  const now = core.now();
  const end = { status: 'undone', finishedAt: now, undoneAt: now } as const;
  await advance(step, { ...end, errorCode: error.code, errorMessage: error.message });
  return error;
}

/**
 * Finishes what {@link undoRefused} began in a run that broke off, unless another process has done so meanwhile.
 * @param lease of the file and options of the import
 * @returns the error that the import ends with
 */
export async function finishRefusal(core: Core, actor: Actor, record: Import, lease: Lease): Promise<AppError> {
  await core.database.read(() => record.reload());
  const why = record.errorMessage ?? '';
  if (!isRefusalUnfinished(record)) return new AppError('IMPORT_REFUSED', why);
  const error = await undoRefused({ core, actor, record, lease }, why);
  await removeSpooledFile(core, record);
  return error;
}

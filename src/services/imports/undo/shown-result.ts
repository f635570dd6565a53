import type { Core, Identity } from '../../core.js';
import { shownKeptCode, visibleAccounts } from '../store/trainer-imports.js';
import type { UndoResult } from './undo.js';

/** Returns the result of an undo as a reader may see it: trainers see no emails and codes of others' trainees. */
export async function undoShownTo(core: Core, reader: Identity, result: UndoResult): Promise<UndoResult> {
  const ids = result.kept.map(({ userId }) => userId);
  const visible = new Set(await visibleAccounts(core, reader, ids));
  const kept = result.kept.map(({ email, code, ...account }) => ({
    ...account,
    email: visible.has(account.userId) ? email : null,
    code: shownKeptCode(reader, code),
  }));
  return { ...result, kept };
}

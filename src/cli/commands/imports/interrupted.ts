import type { Context } from '../../../context.js';
import { optionsText } from '../../../schemas/import.js';
import type { ImportPlan } from '../../../services/imports/plan/plan.js';
import { findInterrupted } from '../../../services/imports/store/find-import.js';
import { resultOf } from '../../../services/imports/store/repository.js';
import { asTyped, counted, type Io } from '../../core/output.js';
import { printableLine } from '../../core/printable.js';

/** An interrupted import of the file that a plan does not resume, as its options or the content of the file differ. */
export interface InterruptedImport {
  number: number;
  rowsDone: number;
  /** Sentences for people. */
  text: string;
}

/** The interrupted import of the file that applying a plan does not resume, if there is one. */
export async function interruptedBeside(io: Io, context: Context, plan: ImportPlan): Promise<InterruptedImport | null> {
  const record = plan.unfinished === null ? await findInterrupted(context, plan) : null;
  if (record === null) return null;
  const { number, rowsDone, optionsJson } = record;
  const command = (name: string) => asTyped(io, `imports ${name} ${number}`);
  const after = `is interrupted after ${counted(rowsDone, 'row')}`;
  if (record.fileSha256 === plan.fileSha256) {
    const text = `Import ${number} of this file, with other options, ${after}. To resume it instead: ${command('resume')}`;
    return { number, rowsDone, text };
  }
  const { credentialsFile } = resultOf(record);
  const passwords = credentialsFile === null ? '' : ` (passwords: ${credentialsFile}, keep it)`;
  const others = optionsJson === optionsText(plan.options) ? '' : ` It has other options: ${command('show')}`;
  const text = `Import ${number} of this file, before it was changed, ${after}${passwords}.${others}`;
  return { number, rowsDone, text: printableLine(text) };
}

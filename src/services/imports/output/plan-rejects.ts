import type { Core } from '../../core.js';
import { type ImportPlan, type PlanRequest, planImport } from '../plan/plan.js';
import type { ReportFile } from './report-file.js';
import { planRejects, rejectLines } from './reports.js';

/**
 * Plans an import, and writes the rows that it would reject to a new file, as the import would. There is none when it would
 * reject no row, and none after a failure.
 * @param rejectsFile the path of the file, which must not exist
 * @throws AppError as {@link planImport}, `USAGE` for a path that can't be used, `FILE_UNUSABLE`
 */
export async function planWithRejects(
  core: Core,
  request: Omit<PlanRequest, 'onDecisions'>,
  rejectsFile: string,
): Promise<ImportPlan> {
  let file: ReportFile | undefined;
  try {
    const plan = await planImport(core, {
      ...request,
      async onDecisions(decisions, { mapping, format }) {
        file ??= await planRejects({ mapping, format }, rejectsFile);
        const lines = rejectLines(mapping, decisions, file.format.encoding);
        if (lines.length === 0) return;
        if (file.length === 0) await file.begin();
        await file.append(lines);
      },
    });
    await file?.close();
    return plan;
  } catch (error) {
    // Otherwise the same command would be refused, because the file exists.
    await file?.discard();
    throw error;
  }
}

import { createProgress, type Progress } from '../../core/progress.js';
import type { Run } from '../../core/run.js';
import { garbageCollector } from './garbage-collector.js';

/** {@link createProgress} for the rows of an import, whose garbage is collected meanwhile. */
export function importProgress(run: Run, label: string, total: number | undefined): Progress {
  const shown = createProgress(run, label, total);
  const collect = garbageCollector();
  return {
    update(rows) {
      shown.update(rows);
      collect(rows);
    },
    say: (text) => shown.say(text),
    stop: () => shown.stop(),
  };
}

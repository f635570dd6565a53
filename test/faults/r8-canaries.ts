import { createLogger } from '../../src/logger.js';
import { importCanaries, overheard, sendCanaries, sendToNobody, type Watch } from '../http/canaries.js';
import { troubles } from '../http/canary-troubles.js';
import { emptyDatabase } from '../support/harness.js';
import { startInProcess } from './in-process.js';
import type { Verdict } from './report.js';

/** Secrets through every operation and every kind of failure, with the log at its most talkative. */
export async function run(): Promise<Verdict[]> {
  const watch: Watch = { lines: [], heard: 0, leaks: [], requests: 0 };
  const logger = createLogger('trace', { write: (line) => void watch.lines.push(line) });
  const service = await startInProcess({}, logger);
  const { context } = service;
  const reset = () => emptyDatabase(context);
  const verdicts: Verdict[] = [];
  const meet = async (name: string, work: () => Promise<void>) => {
    const [requests, heard] = [watch.requests, watch.heard];
    await overheard(watch, work);
    const leaks = watch.leaks.splice(0);
    for (const { where, what } of leaks) console.log(`${what}: ${where}`);
    verdicts.push({
      promised: `no secret in an answer, log line, row or file name: ${name}`,
      measured: `${leaks.length} leaks in ${watch.requests - requests} answers and ${watch.heard - heard} lines`,
      kept: leaks.length === 0 && watch.requests > requests,
    });
  };
  try {
    for (const trouble of troubles(context))
      await meet(trouble.name, () => sendCanaries(context, trouble, watch, reset));
    await meet('an imported file', () => importCanaries(context, watch, reset));
    await meet('the database gone', () => sendToNobody(context, watch, reset, () => service.database.stop()));
    return verdicts;
  } finally {
    await service.close();
  }
}

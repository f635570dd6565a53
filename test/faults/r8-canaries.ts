import { contract } from '../../src/http/api/contract.js';
import { createLogger } from '../../src/logger.js';
import { overheard, plantSecrets, Watch } from '../http/support/canaries.js';
import { faults, refuseWrites } from '../http/support/canary-faults.js';
import { sendRefused } from '../http/support/canary-refusals.js';
import { importCanaries, sendCanaries, sendToNobody, uploadCanaries } from '../http/support/canary-requests.js';
import { emptyDatabase } from '../support/harness.js';
import { startInProcess } from './in-process.js';
import type { Verdict } from './report.js';

/**
 * Looks for secrets in all that comes out while something is done.
 * @param statuses with which it must be answered among others, to be what it says
 * @param work false when it wasn't done as it was meant
 */
async function judge(
  name: string,
  watch: Watch,
  statuses: readonly number[],
  work: () => Promise<unknown>,
): Promise<Verdict> {
  let outcome: unknown;
  await overheard(watch, async () => {
    outcome = await work();
  });
  for (const { where, what } of watch.leaks) console.log(`${what}: ${where}`);
  const counts = Object.entries(watch.statuses).map(([status, count]) => `${count} × ${status}`);
  return {
    promised: `no secret in an answer, log line, row or file name: ${name}`,
    measured: `${watch.leaks.length} leaks in ${watch.requests} answers (${counts.join(', ')}), ${watch.heard} lines, ${watch.rows} rows`,
    kept:
      watch.leaks.length === 0 &&
      watch.requests > 0 &&
      watch.heard >= watch.requests &&
      outcome !== false &&
      statuses.every((status) => watch.statuses[status] !== undefined),
  };
}

/** Secrets through every operation and every kind of failure, with the log at its most talkative. */
export async function run(): Promise<Verdict[]> {
  let watch = new Watch();
  const logger = createLogger('trace', { write: (line) => void watch.lines.push(line) });
  const service = await startInProcess({}, logger);
  const { context } = service;
  const reset = () => emptyDatabase(context);
  const verdicts: Verdict[] = [];
  const met = new Set<string>();
  const meet = async (name: string, statuses: readonly number[], work: () => Promise<unknown>) => {
    watch = new Watch();
    verdicts.push(await judge(name, watch, statuses, work));
    for (const each of watch.met) met.add(each);
  };
  try {
    let missed: string[] = [];
    await overheard(watch, async () => {
      missed = await plantSecrets(context, watch, reset);
    });
    verdicts.push({
      promised: 'secrets of every kind would be found',
      measured: missed.length === 0 ? 'all that were planted are' : `not found: ${missed.join(', ')}`,
      kept: missed.length === 0,
    });
    for (const [name, { statuses, of }] of Object.entries(faults))
      await meet(name, statuses, () => sendCanaries(context, { name, ...of(context) }, watch, reset));
    await meet('refused requests', [400, 401, 403, 404, 405, 413, 415, 429], () => sendRefused(context, watch, reset));
    await meet('an imported file', [200], () => importCanaries(context, watch, reset));
    await meet('an uploaded file', [202], async () => (await uploadCanaries(context, watch, reset)) === 'completed');
    await meet('an upload whose accounts the database refuses', [202], async () => {
      const refuse = () => refuseWrites(context, ['users']);
      return (await uploadCanaries(context, watch, reset, refuse)) === 'failed';
    });
    await meet('the database gone', [503], () => sendToNobody(context, watch, reset, () => service.database.stop()));
    const never = Object.entries(contract).filter(
      // There are people throughout, and the demo programme needs a database without any.
      ([name, { success }]) => name !== 'loadDemo' && !met.has(`${name} ${success.status}`),
    );
    verdicts.push({
      promised: 'every operation but loadDemo succeeded at some time meanwhile',
      measured: `${Object.keys(contract).length} operations, ${met.size} pairs of operation and status; never with success: ${never.map(([name]) => name).join(', ') || 'none'}`,
      kept: never.length === 0,
    });
    return verdicts;
  } finally {
    await service.close();
  }
}

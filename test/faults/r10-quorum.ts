import type { GaleraCluster } from '../support/galera.js';
import type { Instance } from './r10-service.js';
import type { Verdict } from './report.js';

export async function measureQuorum(
  _: GaleraCluster,
  __: readonly Instance[],
  ___: readonly string[],
): Promise<Verdict[]> {
  return [];
}

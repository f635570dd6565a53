import { Op } from 'sequelize';
import type { Core } from '../core.js';
import { newRow } from './throttle.js';
import { networkOf, proxyPrefix } from './throttle-rules.js';

/**
 * Behind a proxy that isn't named in TRUST_PROXY all clients have one address, the proxy's, and share its limits. Such a
 * proxy is known by the header X-Forwarded-For; anybody else can send that too, so it is no more than a hint.
 */

/** How often it is said, in milliseconds. */
const everyMs = 60 * 60_000;

/** How long it is remembered, in milliseconds. */
const rememberedMs = 24 * 60 * 60_000;

/** Says in the log, once an hour, that X-Forwarded-For came from an address which isn't trusted, and keeps it for `doctor`. */
export function createUntrustedProxyNotes(core: Core): (address: string) => Promise<void> {
  let saidAt = Number.NEGATIVE_INFINITY;
  return async (address) => {
    const now = core.now();
    if (now.getTime() - saidAt < everyMs) return;
    saidAt = now.getTime();
    core.logger.warn(
      { address },
      'X-Forwarded-For comes from an address that TRUST_PROXY does not name: if it is your proxy, all clients count as one',
    );
    const row = newRow(`${proxyPrefix}${networkOf(address)}`, now);
    await core.database
      .inTransaction((transaction) =>
        core.database.models.LoginThrottle.bulkCreate([row], { updateOnDuplicate: ['windowStartedAt'], transaction }),
      )
      // It is in the log; the next hour comes.
      .catch((error: unknown) => core.logger.warn({ err: error }, 'could not note an untrusted proxy'));
  };
}

/** The addresses from which X-Forwarded-For came untrusted in the last day. */
export async function untrustedProxies(core: Core): Promise<string[]> {
  const since = new Date(core.now().getTime() - rememberedMs);
  const rows = await core.database.read(() =>
    core.database.models.LoginThrottle.findAll({
      where: { subject: { [Op.startsWith]: proxyPrefix }, windowStartedAt: { [Op.gte]: since } },
      order: ['subject'],
    }),
  );
  return rows.map(({ subject }) => subject.slice(proxyPrefix.length));
}

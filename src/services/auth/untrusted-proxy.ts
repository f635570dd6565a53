import { Op } from 'sequelize';
import { networkOf } from '../../network.js';
import type { Core } from '../core.js';
import { isRecent } from '../dates.js';
import { proxyPrefix } from './throttle-rules.js';

/**
 * Behind a proxy that TRUST_PROXY doesn't name, all clients have the proxy's address and share its limits. The header
 * X-Forwarded-For suggests such a proxy, but any client can send it.
 */

/** Interval of the warnings, in milliseconds. */
const everyMs = 60 * 60_000;

/** Period in which `doctor` shows the address, in milliseconds. */
const shownMs = 24 * 60 * 60_000;

/**
 * Creates a function that warns in the log, at most once an hour, of X-Forwarded-For from an untrusted address. It also
 * stores the address for `doctor`.
 */
export function createUntrustedProxyWarner(core: Core): (address: string) => Promise<void> {
  let warnedAt: Date | undefined;
  return async (address) => {
    const now = core.now();
    if (warnedAt && isRecent(warnedAt, now, everyMs)) return;
    warnedAt = now;
    core.logger.warn(
      { address },
      'X-Forwarded-For comes from an address that TRUST_PROXY does not name: if it is your proxy, all clients count as one',
    );
    const row = {
      subject: `${proxyPrefix}${networkOf(address)}`,
      accountId: null,
      failures: 0,
      windowStartedAt: now,
      locks: 0,
    };
    await core.database
      .inTransaction((transaction) =>
        core.database.models.LoginThrottle.bulkCreate([row], { updateOnDuplicate: ['windowStartedAt'], transaction }),
      )
      // The log has the address, and the next warning tries to store it again.
      .catch((error: unknown) => core.logger.warn({ err: error }, 'could not store the address of an untrusted proxy'));
  };
}

/** Returns the untrusted addresses that sent X-Forwarded-For in the last day. */
export async function untrustedProxies(core: Core): Promise<string[]> {
  const since = new Date(core.now().getTime() - shownMs);
  const rows = await core.database.read(() =>
    core.database.models.LoginThrottle.findAll({
      where: { subject: { [Op.startsWith]: proxyPrefix }, windowStartedAt: { [Op.gte]: since } },
      order: ['subject'],
    }),
  );
  return rows.map(({ subject }) => subject.slice(proxyPrefix.length));
}

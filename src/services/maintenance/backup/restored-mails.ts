import { Op } from 'sequelize';
import type { Database } from '../../../db/connection.js';
import { databaseNow } from '../../../db/dialect.js';

/** What became of mails, links and addresses of calendars in a restored database. */
export interface EndedMails {
  withdrawnMails: number;
  endedLinks: number;
  endedCalendars: number;
}

/**
 * In a restored database: withdraws the mails that are still to leave, because they may have left since the backup, and ends all
 * links and private addresses of calendars, because some were used or ended since. Requests of people who have forgotten their
 * password are dropped.
 */
export async function endMails(database: Database): Promise<EndedMails> {
  const { Calendar, Mail, Link, User } = database.models;
  // A schema of an older program has none.
  const has = (table: string) => database.read(() => database.sequelize.getQueryInterface().tableExists(table));
  if (!(await has('mails')) || !(await has('links'))) return { withdrawnMails: 0, endedLinks: 0, endedCalendars: 0 };
  const hasCalendars = await has('calendars');
  return database.inTransaction(async (transaction) => {
    await User.update(
      { inviteState: null, invitedAt: null },
      { where: { inviteState: 'queued' }, silent: true, transaction },
    );
    await Mail.destroy({ where: { identifier: { [Op.ne]: null } }, transaction });
    const [withdrawnMails] = await Mail.update(
      {
        state: 'withdrawn',
        nextAt: null,
        dedupeKey: null,
        finishedAt: await databaseNow(database.sequelize, transaction),
      },
      { where: { state: ['queued', 'sending', 'deferred'] }, transaction },
    );
    const endedLinks = await Link.destroy({ where: {}, transaction });
    const endedCalendars = hasCalendars ? await Calendar.destroy({ where: {}, transaction }) : 0;
    return { withdrawnMails, endedLinks, endedCalendars };
  });
}

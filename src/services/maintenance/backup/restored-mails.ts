import { Op } from 'sequelize';
import type { Database } from '../../../db/connection.js';
import { databaseNow } from '../../../db/dialect.js';

export interface EndedMails {
  withdrawnMails: number;
  endedLinks: number;
  endedCalendars: number;
}

/**
 * Withdraws all unsent mails in a restored database, because they may have been sent after the backup. Ends all links and
 * private calendar addresses, because they may have been used or ended after the backup. Deletes requests for forgotten
 * passwords.
 */
export async function endMails(database: Database): Promise<EndedMails> {
  const { Calendar, Mail, Link, User } = database.models;
  // An older schema may lack these tables.
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

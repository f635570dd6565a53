import { presentMail } from '../../presenters/mail.js';
import { actorOf } from '../../services/core.js';
import { changeMails, queueTestMail } from '../../services/mail/commands.js';
import { findMail, listMails } from '../../services/mail/queries.js';
import { publicCodeOf, publicMessage } from '../api/failures.js';
import type { Handlers } from '../routing/handler.js';

export const mailHandlers = {
  async listMails({ context, query }) {
    const { items, pagination } = await listMails(context, query);
    return { mails: items.map(presentMail), pagination };
  },

  async showMail({ context, params }) {
    return { mail: presentMail(await findMail(context, params.id)) };
  },

  async changeManyMails({ context, caller, body, signal }) {
    const { action, outcomes } = await changeMails(context, actorOf(caller), body, signal);
    return {
      action,
      outcomes: outcomes.map(({ id, outcome, refusal }) => ({
        id,
        outcome,
        code: refusal ? publicCodeOf(refusal.code) : null,
        message: refusal ? publicMessage(refusal) : null,
      })),
    };
  },

  async sendTestMail({ context, body }) {
    await queueTestMail(context, body);
    return { message: 'Test mail queued.' };
  },
} satisfies Partial<Handlers>;

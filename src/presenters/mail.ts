import type { Mail } from '../db/models/mail.js';
import type { User } from '../db/models/user.js';
import { pick } from './pick.js';

interface ShownMail {
  mail: Mail;
  user: User | null;
  address: string | null;
  messageId: string;
}

/** Presents a mail without its content. */
export function presentMail({ mail, user, address, messageId }: ShownMail) {
  return {
    ...pick(mail, ['id', 'kind', 'state']),
    address,
    user: user && pick(user, ['id', 'firstName', 'lastName', 'email']),
    ...pick(mail, ['courseId', 'importId', 'attempts', 'nextAt', 'lastError']),
    messageId,
    ...pick(mail, ['createdAt', 'finishedAt']),
  };
}

import { parseSmtpUrl } from '../../src/config/mail-settings.js';
import type { Context } from '../../src/services/context.js';
import { type SendCounts, sendDueMails } from '../../src/services/mail/sender.js';
import { openTransport } from '../../src/services/mail/smtp.js';
import type { Harness } from './harness.js';
import { type MailServer, startMailServer } from './mail-server.js';
import type { ReceivedMail } from './received-mail.js';

/** Opens a transport to a server, with the sender of {@link mailSettings}. */
export const transportTo = ({ url }: Pick<MailServer, 'url'>) =>
  openTransport({
    server: parseSmtpUrl(url),
    tls: 'opportunistic',
    from: { name: 'Training', address: 'training@example.org' },
  });

/** Returns the secret links in a mail: `https://courses.example.org/set-password#...`. */
export const linksOf = ({ text }: Pick<ReceivedMail, 'text'>) => text.match(/https?:\/\/\S+#[\w-]{43}/g) ?? [];

/** Returns the token in the first secret link of a mail. */
export function tokenOf(mail: ReceivedMail): string {
  const [link = ''] = linksOf(mail);
  return link.slice(link.indexOf('#') + 1);
}

export interface Mailbox {
  server: MailServer;
  /** Sends all due mails, and returns the mails that arrived. */
  deliver(): Promise<ReceivedMail[]>;
  /**
   * Sends all due mails.
   * @throws the errors of {@link sendDueMails}
   */
  send(): Promise<SendCounts>;
}

/** Gives the enclosing `describe` a mail server, for a harness with {@link mailSettings}. */
export function useMailServer(harness: { context: Context } | Harness): Mailbox {
  const send = () => sendDueMails(harness.context, { transport: transportTo(mailbox.server) });
  const mailbox = {
    send,
    async deliver() {
      const before = mailbox.server.mails.length;
      await send();
      return mailbox.server.mails.slice(before);
    },
  } as Mailbox;
  beforeEach(async () => {
    mailbox.server = await startMailServer();
  });
  afterEach(() => mailbox.server.close());
  return mailbox;
}

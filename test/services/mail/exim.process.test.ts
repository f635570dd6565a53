import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import type { MailKind } from '../../../src/services/mail/kinds.js';
import { queueMails } from '../../../src/services/mail/outbox.js';
import { openTransport } from '../../../src/services/mail/smtp.js';
import { isInstalled } from '../../deploy/files.js';
import { makeCertificate } from '../../support/certificate.js';
import { mailSettings, testEnvironment } from '../../support/environment.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { linksOf } from '../../support/mailbox.js';
import { parseMail, type ReceivedMail } from '../../support/received-mail.js';
import { useSubprocesses } from '../../support/subprocess.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { findServer, freePort } from '../../support/test-server.js';
import { until } from '../../support/until.js';

/** Address that reaches loopback on Linux, but whose certificate is checked. */
const host = '0.0.0.0';
const password = 'secret: of mails?';

/** Exim never delivers as root, so it runs as nobody if root starts it. */
const uid = process.getuid?.() === 0 ? 65534 : (process.getuid?.() ?? 0);

const configuration = (folder: string) => `
primary_hostname = mail.example.org
exim_user = ${uid}
exim_group = ${uid === 65534 ? uid : process.getgid?.()}
deliver_drop_privilege = true
keep_environment =
spool_directory = ${folder}/spool
log_file_path = ${folder}/%slog
pid_file_path = ${folder}/pid
host_lookup =
rfc1413_query_timeout = 0s
tls_certificate = ${folder}/certificate.pem
tls_privatekey = ${folder}/key.pem
tls_advertise_hosts = *
auth_advertise_hosts = \${if def:tls_in_cipher {*}}
acl_smtp_rcpt = recipients
acl_smtp_data = accept

begin acl
recipients:
  deny
    !authenticated = *
    message = 5.7.1 Log in first
  deny
    !verify = recipient
    message = 5.1.1 No such user here
  accept

begin routers
known:
  driver = accept
  domains = example.org
  local_parts = ada
  transport = maildir

begin transports
maildir:
  driver = appendfile
  maildir_format
  directory = ${folder}/maildir
  create_directory

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and {{eq {$auth2}{courses}}{eq {$auth3}{${password}}}}}
  server_set_id = $auth2
`;

(isInstalled('exim4') ? describe : describe.skip)('Mail through Exim (needs exim4)', function () {
  this.timeout(scaled(20_000));
  const harness = useHarness(mailSettings);
  const programs = useSubprocesses();
  const certificate = makeCertificate(`IP:${host}`);
  let folder: ReturnType<typeof temporaryFolder>;
  let exim: ChildProcess;
  let port: number;

  before(async () => {
    folder = temporaryFolder();
    port = await freePort();
    const at = (name: string) => path.join(folder.path, name);
    const files = {
      'exim.conf': configuration(folder.path),
      'certificate.pem': certificate.certificate,
      'key.pem': certificate.key,
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content);
    mkdirSync(at('spool'));
    if (process.getuid?.() === 0) for (const name of ['.', 'spool', 'key.pem']) chownSync(at(name), uid, uid);
    chmodSync(at('key.pem'), 0o600);
    const options = ['-C', at('exim.conf'), '-bdf', '-oX', `127.0.0.1.${port}`];
    exim = spawn(findServer(['exim4']) ?? '', options, {
      stdio: 'ignore',
      ...(process.getuid?.() === 0 && { uid, gid: uid }),
    });
    await until(() => listens(port), 'Exim listens');
  });
  after(async () => {
    const ended = once(exim, 'exit');
    exim.kill('SIGKILL');
    await ended;
    folder.remove();
  });

  const delivered = (): Pick<ReceivedMail, 'headers' | 'text' | 'messageId'>[] => {
    const inbox = path.join(folder.path, 'maildir', 'new');
    if (!existsSync(inbox)) return [];
    // Exim stores lines with Unix line ends.
    return readdirSync(inbox).map((name) =>
      parseMail(readFileSync(path.join(inbox, name), 'latin1').replace(/\r?\n/g, '\r\n')),
    );
  };
  const rows = () => harness.context.database.models.Mail.findAll({ order: ['id'] });
  const queue = (kind: MailKind, userId: string) =>
    harness.context.database.inTransaction((transaction) =>
      queueMails(harness.context, [{ kind, userId }], transaction),
    );
  const transport = (given: string, ca?: string) =>
    openTransport(
      {
        server: { secure: false, host, port, user: 'courses', password: given },
        tls: 'opportunistic',
        from: { name: '', address: 'training@example.org' },
      },
      { timeouts: { connect: 10_000, stall: 10_000 }, ...(ca !== undefined && { ca }) },
    );
  const mail = { subject: 'S', text: 'T', html: 'H', messageId: '<1@courses.example.org>' };

  it('arrives encrypted if the service trusts the authority, and an unknown recipient is recorded', async () => {
    const [ada, gone] = [
      await buildUser(harness.context, { firstName: 'Ada', lastName: 'Löwe', email: 'ada@example.org' }),
      await buildUser(harness.context, { email: 'gone@example.org' }),
    ];
    await queue('invitation', ada.id);
    await queue('invitation', gone.id);
    await harness.context.database.models.User.update({ hasPassword: false }, { where: {} });
    const env = {
      ...testEnvironment,
      ...mailSettings,
      PATH: process.env.PATH ?? '',
      DATABASE_URL: harness.databaseUrl,
      DATA_DIR: folder.path,
      PORT: '0',
      SMTP_URL: `smtp://courses:${encodeURIComponent(password)}@${host}:${port}`,
      NODE_EXTRA_CA_CERTS: path.join(folder.path, 'certificate.pem'),
    };
    const service = programs.start(['serve'], { cwd: folder.path, env });
    await until(async () => (await rows()).every(({ state }) => state === 'sent' || state === 'failed'));
    await until(() => delivered().length > 0);
    service.kill('SIGTERM');
    await service.ended;
    const [arrived, ...others] = delivered();
    expect(others).to.have.length(0);
    expect(arrived?.headers.received).to.match(/with esmtpsa/);
    expect(arrived?.headers.to).to.include('Ada Löwe').and.include('<ada@example.org>');
    expect(arrived && linksOf(arrived)).to.have.length(1);
    expect((await rows()).map(({ state, lastError }) => [state, lastError])).to.deep.equal([
      ['sent', null],
      ['failed', '550 5.1.1 No such user here'],
    ]);
    expect((await gone.reload()).mailFailedAt).to.be.instanceOf(Date);
  });

  it('is paused by a wrong password and by an untrusted certificate', async () => {
    const to = { name: '', address: 'ada@example.org' };
    for (const [given, ca, reason] of [
      ['wrong', certificate.certificate, /refuses the login: 535/],
      [password, undefined, /self-signed/],
    ] as const) {
      const sender = transport(given, ca);
      const delivery = await sender.send({ ...mail, to });
      sender.close();
      expect(delivery).to.include({ outcome: 'paused' }).and.have.property('reason').match(reason);
    }
  });
});

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

import { createEmptyDatabase, onMysql, runOnServer, type TestDatabase } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { startRefusingServer } from '../support/refusing-server.js';
import { useCommandLine } from '../support/run-cli.js';
import { doNotWait, expectFailure } from './support/expected-failures.js';

describe('An expected failure if a database server refuses the connection', () => {
  const cli = useCommandLine(() => testEnvironment);
  const refusals: [what: string, errno: number, words: string, code: string, says: RegExp][] = [
    [
      'is reported for a machine that the server does not admit',
      1130,
      "Host '10.0.0.5' is not allowed to connect to this MySQL server",
      'DATABASE_ACCESS_DENIED',
      /accepts no connections from 10\.0\.0\.5 \(mysql:\/\/me@.*\)\. Create a user for it: CREATE USER 'me'@'10\.0\.0\.5' IDENTIFIED BY '<password>'; GRANT ALL ON `x`\.\* TO 'me'@'10\.0\.0\.5'\./,
    ],
    [
      'is reported for an impossible name of a database',
      1102,
      "Incorrect database name 'x'",
      'DATABASE_MISSING',
      /accepts no database of the name "x" \(mysql:\/\/me@.*\)\. Check DATABASE_URL, or DB_NAME\./,
    ],
    [
      'is reported with the message of the server otherwise',
      1040,
      'Too many connections.',
      'DATABASE_UNREACHABLE',
      /refuses the connection \(mysql:\/\/me@.*\): Too many connections\. Ask its administrator, or try again later\./,
    ],
  ];
  for (const [what, errno, words, code, says] of refusals)
    it(what, async () => {
      const server = await startRefusingServer(errno, words);
      const env = { ...cli.env, DATABASE_URL: `mysql://me:s3cr3t@127.0.0.1:${server.port}/x` };
      try {
        for (const argv of [
          ['migrate', 'status'],
          ['users', 'list'],
        ])
          await expectFailure(cli, argv, { code, says }, { env });
      } finally {
        await server.close();
      }
    });
});

(onMysql ? describe : describe.skip)('An expected failure of a database server', () => {
  let database: TestDatabase;
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  before(async () => {
    database = await createEmptyDatabase();
  });
  after(() => database.drop());

  const user = 'coursectl_failures';
  before(async () => {
    await runOnServer(`DROP USER IF EXISTS '${user}'@'%'`, `CREATE USER '${user}'@'%' IDENTIFIED BY 's3cr3t'`);
  });
  after(async () => {
    await runOnServer(`DROP USER '${user}'@'%'`);
  });
  const as = (name: string, password: string, schema?: string) => {
    const url = new URL(cli.env.DATABASE_URL ?? '');
    [url.username, url.password] = [name, password];
    if (schema !== undefined) url.pathname = `/${schema}`;
    return { env: { ...cli.env, DATABASE_URL: url.href } };
  };

  it('is reported for a wrong password', async () => {
    const says =
      /refused the user name or password \(mysql:\/\/app@.*\)\. Check DATABASE_URL, or DB_USER and DB_PASSWORD\./;
    for (const argv of doNotWait)
      await expectFailure(cli, argv, { code: 'DATABASE_ACCESS_DENIED', says }, as('app', 's3cr3t-wrong'));
  });

  it('is reported for a user without rights', async () => {
    const says =
      /has no rights on the database "\w+"\. Grant them: GRANT ALL ON `\w+`\.\* TO 'coursectl_failures'@'%'\./;
    await expectFailure(cli, ['users', 'list'], { code: 'DATABASE_ACCESS_DENIED', says }, as(user, 's3cr3t'));
  });

  it('is reported for a database that does not exist', async () => {
    const says = /"coursectl_no_such" does not exist on .*\. Create it: CREATE DATABASE `coursectl_no_such`\./;
    const { username, password } = new URL(cli.env.DATABASE_URL ?? '');
    for (const argv of doNotWait)
      await expectFailure(cli, argv, { code: 'DATABASE_MISSING', says }, as(username, password, 'coursectl_no_such'));
  });
});

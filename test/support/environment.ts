import { packageFile } from '../../src/package-root.js';

/** The environment that tests run in: hashes as cheap as bcrypt allows. */
export const testEnvironment = {
  NODE_ENV: 'test',
  BCRYPT_COST: '4',
  // More batches with fewer rows.
  IMPORT_BATCH_ROWS: '50',
  JWT_SECRET: 'a secret for tests only, longer than 32 bytes',
  // Other services of this machine may have the usual one.
  PORT: '0',
  PROGRAMME_LOGO: packageFile('src/console/appearance/icon.svg'),
};

/** Settings with which mail is set up, at a server that isn't reached; where the real one is, `useMailServer` of mailbox.ts says. */
export const mailSettings = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Training <training@example.org>',
  PUBLIC_URL: 'https://courses.example.org',
  MAIL_PER_MINUTE: '10000',
};

import { packageFile } from '../../src/package-root.js';

/** Environment of tests, with the cheapest hashes of bcrypt. */
export const testEnvironment = {
  NODE_ENV: 'test',
  BCRYPT_COST: '4',
  // Small, so that imports in tests have several batches.
  IMPORT_BATCH_ROWS: '50',
  JWT_SECRET: 'a secret for tests only, longer than 32 bytes',
  // Other services of this machine may use the default port.
  PORT: '0',
  PROGRAMME_LOGO: packageFile('src/console/appearance/icon.svg'),
};

/** Settings for mail with an unreachable server. `useMailServer` in mailbox.ts provides a real server. */
export const mailSettings = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Training <training@example.org>',
  PUBLIC_URL: 'https://courses.example.org',
  MAIL_PER_MINUTE: '10000',
};

/** Settings of the organisation's sign-in, with an unreachable issuer. */
export const signInSettings = {
  OIDC_ISSUER: 'http://localhost:9',
  OIDC_CLIENT_ID: 'coursectl',
  OIDC_CLIENT_SECRET: 'a secret of the issuer',
  OIDC_NAME: 'Example Account',
  PUBLIC_URL: 'https://courses.example.org',
};

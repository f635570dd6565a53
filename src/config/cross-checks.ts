import { isIP } from 'node:net';
import { type GivenSettings, type SettingName, type SettingValues, settingNames, settings } from './settings.js';

export interface SettingProblem {
  name: SettingName;
  /** Predicate of a sentence about the setting, such as "must be on or off". */
  problem: string;
}

/** Shortest secret accepted in production, in bytes: HS256's key length (RFC 7518, section 3.2). */
const minimumSecretBytes = 32;
const placeholderSecret = /^(.)\1*$|change.?me|your.?(jwt.?)?secret|secret.?key|example|placeholder/i;

/** Returns the weakness of a signing secret; undefined if the secret is fit for production. */
export function secretWeakness(secret: string): string | undefined {
  if (Buffer.byteLength(secret) < minimumSecretBytes) return `is shorter than ${minimumSecretBytes} bytes`;
  if (placeholderSecret.test(secret)) return 'looks like a placeholder';
  return undefined;
}

const secretRemedy = 'make one with: openssl rand -base64 48';

/** Checks rules that involve several settings. @param values values that are valid by themselves */
export function crossChecks(given: GivenSettings, values: Partial<SettingValues>): SettingProblem[] {
  return [
    ...databaseProblems(given),
    ...tlsProblems(given, values),
    ...storageProblems(given, values),
    ...mailProblems(given),
    ...signInProblems(given, values),
    ...(values.NODE_ENV === 'production' ? secretProblems(values) : []),
  ];
}

function databaseProblems(given: GivenSettings): SettingProblem[] {
  const parts = settingNames.filter((name) => settings[name].insteadOf === 'DATABASE_URL' && given[name] !== undefined);
  if (parts.length === 0) return [];
  if (given.DATABASE_URL !== undefined) {
    const problem = `must not be combined with ${parts.join(', ')}: set one or the other`;
    return [{ name: 'DATABASE_URL', problem }];
  }
  const missing = (['DB_NAME', 'DB_USER'] as const).filter((name) => given[name] === undefined);
  return missing.map((name) => ({ name, problem: `must be set when ${parts[0]} is` }));
}

const usesFile = (given: GivenSettings, { DATABASE_URL: url }: Partial<SettingValues>) =>
  url ? url.dialect === 'sqlite' : given.DATABASE_URL === undefined && given.DB_NAME === undefined;

/**
 * Refuses `DB_TLS=required` for an IP address, because certificates contain host names. Refuses DB_TLS_CA_FILE unless the
 * server is verified: the operator expects verification, but passwords would go to an unverified server or be unencrypted.
 */
function tlsProblems(given: GivenSettings, values: Partial<SettingValues>): SettingProblem[] {
  if (usesFile(given, values)) return [];
  const { DATABASE_URL: url, DB_HOST } = values;
  const host = url?.dialect === 'mysql' ? url.host : DB_HOST;
  if (values.DB_TLS === 'required' && host !== undefined && isIP(host) !== 0)
    return [
      {
        name: 'DB_TLS',
        problem: `must not be required for a server with an IP address (${host}): use the host name of its certificate, or set DB_TLS=no-verify to check no certificate`,
      },
    ];
  if (given.DB_TLS_CA_FILE === undefined || values.DB_TLS === undefined || values.DB_TLS === 'required') return [];
  const problem = 'must not be set unless DB_TLS is required: set DB_TLS=required, or remove DB_TLS_CA_FILE';
  return [{ name: 'DB_TLS_CA_FILE', problem }];
}

function storageProblems(given: GivenSettings, values: Partial<SettingValues>): SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (values.FILE_STORAGE === 's3' && given.S3_BUCKET === undefined)
    problems.push({ name: 'S3_BUCKET', problem: 'must be set when FILE_STORAGE is s3' });
  const [id, secret] = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  if ((given[id] === undefined) !== (given[secret] === undefined)) {
    const [present, missing] = given[id] === undefined ? [secret, id] : [id, secret];
    problems.push({ name: missing, problem: `must be set when ${present} is` });
  }
  return problems;
}

function mailProblems(given: GivenSettings): SettingProblem[] {
  if (given.SMTP_URL === undefined) return [];
  const missing = (['MAIL_FROM', 'PUBLIC_URL'] as const).filter((name) => given[name] === undefined);
  return missing.map((name) => ({ name, problem: 'must be set when SMTP_URL is' }));
}

/**
 * Issuers for several organisations. Each of these organisations decides itself about the emails of its people, also
 * about foreign ones.
 */
const sharedIssuer =
  /^https:\/\/login\.microsoftonline\.(?:com|us)\/(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(?:\/|$)/i;

/** Google signs in people of all organisations, and private accounts. */
export const googleIssuer = 'https://accounts.google.com';

function signInProblems(given: GivenSettings, values: Partial<SettingValues>): SettingProblem[] {
  const first = settingNames.find(
    (name) => name.startsWith('OIDC_') && given[name] !== undefined && given[name] !== settings[name].default,
  );
  if (given.OIDC_ISSUER === undefined) {
    if (first !== undefined) return [{ name: 'OIDC_ISSUER', problem: `must be set when ${first} is` }];
    const problem =
      "must not be off without OIDC_ISSUER, the organisation's sign-in: nobody but the super admin could sign in";
    return values.PASSWORD_LOGIN === false ? [{ name: 'PASSWORD_LOGIN', problem }] : [];
  }
  const needed = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME', 'PUBLIC_URL'] as const;
  const missing = needed.filter((name) => given[name] === undefined);
  const problems: SettingProblem[] = missing.map((name) => ({ name, problem: 'must be set when OIDC_ISSUER is' }));
  // Its own rule refuses an issuer that is no URL.
  const issuer = URL.canParse(given.OIDC_ISSUER) ? new URL(given.OIDC_ISSUER).href : '';
  if (sharedIssuer.test(issuer))
    problems.push({
      name: 'OIDC_ISSUER',
      problem:
        'must name your tenant, such as https://login.microsoftonline.com/<tenant id>/v2.0: the given issuer signs in people of all organisations',
    });
  if (values.OIDC_EMAIL_VERIFIED === 'trusted' && issuer.startsWith(googleIssuer))
    problems.push({
      name: 'OIDC_EMAIL_VERIFIED',
      problem:
        'must not be trusted for Google, where people choose their email themselves: set OIDC_EMAIL_VERIFIED=claim',
    });
  if (values.OIDC_CREATE === 'trainee' && values.OIDC_DOMAINS?.length === 0)
    problems.push({ name: 'OIDC_DOMAINS', problem: 'must be set when OIDC_CREATE is trainee' });
  return problems;
}

function secretProblems(values: Partial<SettingValues>): SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (values.JWT_SECRET === undefined)
    problems.push({ name: 'JWT_SECRET', problem: `must be set in production; ${secretRemedy}` });
  // The previous secret can be removed, but not replaced.
  const remedies = {
    JWT_SECRET: secretRemedy,
    JWT_SECRET_PREVIOUS: 'remove it, which ends the sessions that it has signed',
  };
  for (const name of ['JWT_SECRET', 'JWT_SECRET_PREVIOUS'] as const) {
    const weakness = values[name] === undefined ? undefined : secretWeakness(values[name]);
    if (weakness) problems.push({ name, problem: `${weakness}; ${remedies[name]}` });
  }
  return problems;
}

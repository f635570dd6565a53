import { expect } from 'chai';
import { makeCertificate } from '../../../support/certificate.js';
import { createEmptyDatabase, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { type IssuerFaults, issuerClient, issuerSettings, startIssuer, useIssuer } from '../../../support/issuer.js';
import { useCommandLine } from '../../../support/run-cli.js';

interface Check {
  name: string;
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  remedy?: string;
}

const discovery = '/.well-known/openid-configuration';

describe("coursectl doctor, for the organisation's sign-in", () => {
  const given = useIssuer();
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  afterEach(() => database.drop());
  const cli = useCommandLine(() => ({
    ...testEnvironment,
    ...issuerSettings(given.issuer),
    DATABASE_URL: database.url,
  }));

  async function examine(changed: Record<string, string> = {}): Promise<Record<string, Check>> {
    const env = { ...cli.env, ...changed };
    const { checks } = await cli.json<{ checks: Check[] }>(['doctor'], { env });
    if (env.OIDC_CLIENT_SECRET) expect(JSON.stringify(checks)).not.to.include(env.OIDC_CLIENT_SECRET);
    return Object.fromEntries(checks.map((check) => [check.name, check]));
  }

  it('accepts fitting settings, and shows the addresses to enter at the issuer', async () => {
    const checks = await examine();
    expect(checks['sign-in']).to.deep.equal({
      name: 'sign-in',
      status: 'ok',
      detail: `${given.issuer.url} can be used`,
    });
    expect(checks['sign-in addresses']?.detail).to.equal(
      'enter at the issuer: redirect URI https://courses.example.org/api/oidc/callback, post-logout redirect URI https://courses.example.org/sign-in',
    );
    given.issuer.faults = { metadata: { end_session_endpoint: undefined } };
    const { 'sign-in': withoutEnd } = await examine();
    expect(withoutEnd?.status).to.equal('ok');
    expect(withoutEnd?.detail).to.include('leaves the session at the issuer open');
  });

  it('asks no issuer without OIDC_ISSUER', async () => {
    const unset = Object.fromEntries(Object.keys(issuerSettings(given.issuer)).map((name) => [name, '']));
    given.issuer.requests = [];
    const checks = await examine(unset);
    expect(checks['sign-in']?.detail).to.equal('off: without OIDC_ISSUER');
    expect(checks).not.to.have.property('sign-in addresses');
    expect(given.issuer.requests).to.deep.equal([]);
  });

  /** Settings or answers of the issuer that don't fit, with the words of the finding and of its remedy. */
  const faults: readonly {
    wrong: string;
    settings?: () => Record<string, string>;
    issuer?: IssuerFaults;
    check?: string;
    status?: Check['status'];
    detail: RegExp;
    remedy?: RegExp;
  }[] = [
    {
      wrong: 'a host name that does not exist',
      settings: () => ({ OIDC_ISSUER: 'https://login.invalid' }),
      detail: /^the issuer can't be reached \((ENOTFOUND|EAI_AGAIN)\)$/,
      remedy: /host name/,
    },
    {
      wrong: 'a path without an issuer',
      settings: () => ({ OIDC_ISSUER: `${given.issuer.url}/realms/staff` }),
      detail: /^the issuer answered HTTP 404$/,
      remedy: /\/\.well-known\/openid-configuration/,
    },
    {
      wrong: 'an address of something else',
      issuer: { answer: { [discovery]: { status: 200, body: 'Welcome' } } },
      detail: /response/,
      remedy: /page of JSON/,
    },
    {
      wrong: 'another name of the issuer',
      issuer: { metadata: { issuer: 'https://login.example.org/tenant' } },
      detail: /^the issuer calls itself https:\/\/login\.example\.org\/tenant$/,
      remedy: /Set OIDC_ISSUER to this name/,
    },
    {
      wrong: 'https for an issuer without TLS',
      settings: () => ({ OIDC_ISSUER: given.issuer.url.replace('http:', 'https:') }),
      detail: /can't be reached by https/,
      remedy: /port/,
    },
    {
      wrong: 'a silent issuer, with PASSWORD_LOGIN=off',
      settings: () => ({ PASSWORD_LOGIN: 'off' }),
      issuer: { answer: { [discovery]: {} } },
      detail: /^the issuer did not answer in time; PASSWORD_LOGIN is off, so nobody but the super admin can sign in$/,
      remedy: /5 seconds/,
    },
    {
      wrong: 'a wrong client id',
      settings: () => ({ OIDC_CLIENT_ID: 'another-client' }),
      detail: /^the issuer answered invalid_client: it does not accept the client id and secret$/,
      remedy: /OIDC_CLIENT_ID/,
    },
    {
      wrong: 'a wrong client secret',
      settings: () => ({ OIDC_CLIENT_SECRET: 'not-the-secret' }),
      detail: /invalid_client/,
      remedy: /OIDC_CLIENT_SECRET/,
    },
    {
      wrong: 'a clock that differs',
      issuer: { clockMs: 5 * 60_000 },
      status: 'warning',
      detail: /^the clock of this machine is (299|300|301) s behind the clock of the issuer/,
      remedy: /NTP/,
    },
    {
      wrong: 'an issuer without PKCE',
      issuer: { metadata: { code_challenge_methods_supported: ['plain'] } },
      status: 'warning',
      detail: /PKCE with S256/,
      remedy: /PKCE/,
    },
    {
      wrong: 'signatures with the secret',
      issuer: { metadata: { id_token_signing_alg_values_supported: ['HS256'] } },
      detail: /signs ID tokens with HS256 only/,
      remedy: /RS256/,
    },
    {
      wrong: 'an issuer without emails',
      issuer: { metadata: { claims_supported: ['sub', 'name'] } },
      status: 'warning',
      detail: /does not offer emails/,
      remedy: /"email"/,
    },
    {
      wrong: 'keys on a host that can not be reached',
      issuer: { metadata: { jwks_uri: 'https://keys.invalid/jwks' } },
      detail:
        /^the issuer can't be reached \((ENOTFOUND|EAI_AGAIN)\), at https:\/\/keys\.invalid\/jwks, where its keys are$/,
      remedy: /firewall/,
    },
    {
      wrong: 'no domains',
      settings: () => ({ OIDC_DOMAINS: '' }),
      status: 'warning',
      detail: /^OIDC_DOMAINS is empty/,
      remedy: /profile/,
    },
    {
      wrong: 'an issuer for all organisations',
      settings: () => ({ OIDC_ISSUER: 'https://login.microsoftonline.com/common/v2.0' }),
      check: 'configuration',
      detail: /OIDC_ISSUER must name your tenant/,
    },
    {
      wrong: 'a missing PUBLIC_URL',
      settings: () => ({ PUBLIC_URL: '' }),
      check: 'configuration',
      detail: /PUBLIC_URL must be set when OIDC_ISSUER is/,
    },
  ];
  it(`finds each of ${faults.length} wrong settings, and names a remedy`, async () => {
    for (const { wrong, settings, issuer = {}, check = 'sign-in', status = 'failed', detail, remedy } of faults) {
      given.issuer.faults = issuer;
      const { [check]: found } = await examine(settings?.());
      expect(found?.status, wrong).to.equal(status);
      expect(found?.detail, wrong).to.match(detail);
      if (remedy) expect(found?.remedy, wrong).to.match(remedy);
    }
  });

  it('finds a certificate of a private authority, and explains how to trust it', async () => {
    const issuer = await startIssuer({ tls: makeCertificate('IP:127.0.0.1') });
    try {
      const { 'sign-in': found } = await examine({ OIDC_ISSUER: issuer.url });
      expect(found?.status).to.equal('failed');
      expect(found?.detail).to.match(/^the certificate of the issuer is not trusted \([A-Z_]*SELF_SIGNED[A-Z_]*\)$/);
      expect(found?.remedy).to.include('NODE_EXTRA_CA_CERTS');
    } finally {
      await issuer.close();
    }
  });

  it('shows all that does not fit at once, with the worst status', async () => {
    given.issuer.faults = { metadata: { code_challenge_methods_supported: ['plain'] } };
    const { 'sign-in': found } = await examine({ ...issuerClient, OIDC_CLIENT_SECRET: 'not-the-secret' });
    expect(found?.status).to.equal('failed');
    expect(found?.detail).to.match(/PKCE.*; .*invalid_client/);
  });
});

import { expect } from 'chai';
import { createLogger } from '../../src/logger.js';
import { testEnvironment } from '../support/environment.js';
import { signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { useCommandLine } from '../support/run-cli.js';
import { ada, expectFailure } from './support/expectations.js';

describe('A schema that was changed by hand while the service runs', () => {
  const lines: { code?: string; count?: number; err?: { message: string } }[] = [];
  const harness = useHarness({}, createLogger('error', { write: (line) => void lines.push(JSON.parse(line)) }));
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  let token: string;

  beforeEach(async () => {
    ({ token } = await signIn(harness.context, { role: 'super_admin' }));
    await harness.context.database.sequelize.query('ALTER TABLE users RENAME TO u2');
  });
  afterEach(() => harness.context.database.sequelize.query('ALTER TABLE u2 RENAME TO users'));

  const newPassword = 'another engine';
  const authOperations = [
    ['get', 'setup-status', {}],
    ['post', 'setup', ada],
    ['post', 'login', { identifier: ada.email, password: ada.password }],
    ['post', 'trainee-login', { identifier: ada.phone, password: ada.password }],
    ['post', 'register', { ...ada, role: 'trainee' }],
    ['get', 'me', {}],
    ['put', 'profile', { firstName: 'Augusta' }],
    ['put', 'change-password', { currentPassword: ada.password, newPassword }],
    ['put', 'first-password-change', { newPassword }],
    ['post', 'check-enrollment', {}],
  ] as const;

  it('causes 500 Server error. in every operation, as an unexpected failure', async () => {
    const others = ['/api/courses', '/api/users', '/api/enrollments'].map((path) => ['get', path, {}] as const);
    const all = [
      ...authOperations.map(([method, name, body]) => [method, `/api/auth/${name}`, body] as const),
      ...others,
    ];
    for (const [method, path, body] of all) {
      const response = await harness.api(method, path, token).send(body);
      expectFailure(response, 'SERVER_ERROR');
      expect(response.headers, path).not.to.have.property('retry-after');
    }
  });

  it('is logged with the missing column', async () => {
    await harness.api('get', '/api/auth/setup-status').expect(500);
    const failure = lines.find(({ err }) => err !== undefined);
    expect(failure?.err?.message).to.match(/schema is not up to date: .*users.*migrate up/);
  });

  it('is reported by doctor with the missing column', async () => {
    const { exitCode, stdout } = await cli.run(['doctor']);
    expect(exitCode).to.equal(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).to.match(
      /FAILED super admin: The database schema is not up to date: .*users.*If nothing is pending, the schema was changed by hand/,
    );
  });
});

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { closedRefusal, programmeDay, today } from '../../src/services/dates.js';

const coreAt = (moment: string, zone: string) => ({
  config: loadConfig({ env: { TIME_ZONE: zone }, cwd: '/' }),
  now: () => new Date(moment),
});

describe('The days of the programme', () => {
  it('begin and end in TIME_ZONE', () => {
    const moment = '2026-12-31T23:30:00.000Z';
    expect(today(coreAt(moment, 'UTC'))).to.equal('2026-12-31');
    expect(today(coreAt(moment, 'Europe/Berlin'))).to.equal('2027-01-01');
    expect(today(coreAt('2026-03-29T03:30:00.000Z', 'America/New_York'))).to.equal('2026-03-28');
  });

  it('are reported to lack a time zone in production without TIME_ZONE', () => {
    const missing = (env: Record<string, string>) => {
      const config = loadConfig({ env: { JWT_SECRET: randomBytes(48).toString('base64'), ...env }, cwd: '/' });
      return programmeDay({ config, now: () => new Date() }).timeZoneMissing;
    };
    expect(missing({ NODE_ENV: 'production' })).to.equal(true);
    expect(missing({ NODE_ENV: 'production', TIME_ZONE: 'Europe/Berlin' })).to.equal(false);
    expect(missing({})).to.equal(false);
  });

  it('count as open on the last day of a course and on its last day to enroll', () => {
    const course = { endDate: '2026-06-30', enrollUntil: '2026-05-31' };
    const codeOn = (day: string) => closedRefusal(course, day)?.code;
    expect(codeOn('2026-05-31')).to.equal(undefined);
    expect(codeOn('2026-06-01')).to.equal('ENROLLMENT_CLOSED');
    expect(codeOn('2026-06-30')).to.equal('ENROLLMENT_CLOSED');
    expect(codeOn('2026-07-01')).to.equal('COURSE_ENDED');
    expect(closedRefusal({ endDate: null, enrollUntil: null }, '2026-07-01')).to.equal(undefined);
  });
});

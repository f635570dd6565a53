import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { contract } from '../../src/http/contract.js';
import { useHarness } from '../support/harness.js';
import {
  askAs,
  type CallerKind,
  callers,
  expected,
  expectedStatus,
  isAboutCourse,
  operations,
  walk,
} from './authorization.js';

/** The walk from end to end; docs/AUTHORIZATION.md is the same table for people. */
describe('Authorization', () => {
  const harness = useHarness();

  for (const [name, operation] of operations) {
    describe(`${operation.method.toUpperCase()} ${operation.path}`, () => {
      for (const step of walk.filter((walked) => walked.name === name)) {
        const which = isAboutCourse(operation) ? ` of a ${step.published ? 'published' : 'draft'} course` : '';
        it(`answers ${expectedStatus(step)} to: ${step.caller}${which}`, async () => {
          const response = await askAs(harness, step);
          expect(response.status, response.text).to.equal(expectedStatus(step));
        });
      }
    });
  }

  it('of listings shows nobody what is not theirs', async () => {
    for (const name of ['listEnrollments', 'listOwnEnrollments', 'enrollmentStatistics', 'courseStatistics'] as const) {
      for (const caller of ['other trainer', 'other trainee'] as const) {
        if (expected(name, caller, true) !== 'yes') continue;
        const { body } = await askAs(harness, { name, caller, published: false });
        expect(body.stats?.total ?? body.pagination.totalItems, `${name}, ${caller}`).to.equal(0);
        await harness.context.database.models.User.destroy({ where: { role: 'trainee' } });
        await harness.context.database.models.Course.destroy({ where: {} });
      }
    }
  });
});

/** A cell of the table: where drafts differ, after a slash. */
function cell(name: keyof typeof contract, caller: CallerKind): string {
  const [published, draft] = [expected(name, caller, true), expected(name, caller, false)];
  return published === draft ? String(published) : `${published} / ${draft}`;
}

/** The table as Markdown. */
function table(): string {
  const rows = operations.map(([name, operation]) => [
    `\`${operation.method.toUpperCase()} ${operation.path}\``,
    ...callers.map((caller) => cell(name, caller)),
  ]);
  return [['Operation', ...callers], ['', ...callers].map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

describe('docs/AUTHORIZATION.md', () => {
  it('is the table that the contract gives', () => {
    const file = fileURLToPath(new URL('../../docs/AUTHORIZATION.md', import.meta.url));
    expect(readFileSync(file, 'utf8'), `The table should be:\n\n${table()}\n`).to.include(table());
  });
});

import { expect } from 'chai';
import type { contract } from '../../src/http/api/contract.js';
import { expectDerived } from '../support/derived.js';
import { emptyDatabase, useHarness } from '../support/harness.js';
import {
  askAs,
  type CallerKind,
  callers,
  expected,
  expectedStatus,
  isAboutCourse,
  operations,
  prepare,
  send,
  type Walked,
  walk,
} from './support/authorization.js';
import type { Example } from './support/examples.js';

/** The walk from end to end; docs/AUTHORIZATION.md is the same table for people. */
describe('Authorization', () => {
  const harness = useHarness({}, undefined, { empty: 'never' });
  let prepared: { step: Walked; given: Example } | undefined;

  /** What a step needs: for one that is refused, what another refused one has left, which has changed nothing. */
  async function given(step: Walked): Promise<Example> {
    const last = prepared;
    const same = last?.step.name === step.name && last.step.published === step.published;
    if (last && same && expectedStatus(step) >= 400) return last.given;
    await emptyDatabase(harness.context);
    return prepare(harness, step);
  }

  /** Refused steps first: they share what is in the database. */
  const ordered = (steps: readonly Walked[]) =>
    [...steps].sort((a, b) => Number(expectedStatus(b) >= 400) - Number(expectedStatus(a) >= 400));

  for (const [name, operation] of operations) {
    describe(`${operation.method.toUpperCase()} ${operation.path}`, () => {
      for (const step of ordered(walk.filter((walked) => walked.name === name))) {
        const which = isAboutCourse(operation) ? ` of a ${step.published ? 'published' : 'draft'} course` : '';
        it(`answers ${expectedStatus(step)} to: ${step.caller}${which}`, async () => {
          const example = await given(step);
          prepared = undefined;
          const response = await send(harness, step, example);
          expect(response.status, response.text).to.equal(expectedStatus(step));
          // Callers with an initial password give everybody one.
          const changed = response.status < 400 || step.caller === 'account with an initial password';
          if (!changed) prepared = { step, given: example };
        });
      }
    });
  }

  it('of listings shows each caller their own rows only', async () => {
    await emptyDatabase(harness.context);
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

describe('The contract', () => {
  it('derives the table in docs/AUTHORIZATION.md', () => {
    expectDerived('docs/AUTHORIZATION.md', `${table()}\n`, /^\| Operation \|.*\n(\|.*\n)+/m);
  });
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { failureOf } from '../../../db/support/failure.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { emptyDatabase, useHarness } from '../../../support/harness.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { corpus, type Expected } from '../support/corpus.js';

describe('The corpus of import files', () => {
  const harness = useHarness({}, undefined, { empty: 'never' });
  const folder = temporaryFolder();
  before(async () => {
    await emptyDatabase(harness.context);
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    for (const title of ['Course 1', 'First Aid', 'Fire Safety'])
      await buildCourse(harness.context, trainer, { title });
  });
  after(() => folder.remove());

  const planOf = (file: string, options: object = {}) =>
    planImport(harness.context, { file, options, signal: new AbortController().signal });

  async function expectRefusal(file: string, options: object | undefined, refused: string) {
    const failure = await failureOf(() => planOf(file, options));
    const message = failure.message.replaceAll(`${folder.path}/`, '');
    if (refused.endsWith('...')) expect(message.slice(0, refused.length - 3)).to.equal(refused.slice(0, -3));
    else expect(message).to.equal(refused);
    expect(failure.code).to.be.oneOf(['IMPORT_FILE_INVALID', 'USAGE']);
  }

  async function expectPlan(
    file: string,
    options: object | undefined,
    expected: Exclude<Expected, { refused: string }>,
  ) {
    const plan = await planOf(file, options);
    const { format, created, skipped = 0, rejected = {}, ignored, people, firstLine, warnings } = expected;
    const of = (outcome: string) => plan.samples.filter((sample) => sample.outcome === outcome);
    expect(
      Object.fromEntries(of('rejected').map(({ line, code, reason }) => [line, `${code}: ${reason}`])),
    ).to.deep.equal(rejected);
    const bad = Object.keys(rejected).length;
    expect(plan.counts).to.include({ rows: created + skipped + bad, created, skipped, rejected: bad });
    if (format) expect([plan.format.encoding, plan.format.delimiter]).to.deep.equal(format);
    if (ignored)
      expect(plan.columns.flatMap(({ heading, field }) => (field === null ? [heading] : []))).to.deep.equal(ignored);
    if (people) expect(of('created').map(({ person }) => person)).to.deep.equal(people);
    if (firstLine) expect(plan.samples[0]?.line).to.equal(firstLine);
    const told = plan.warnings.map(({ code, rows, examples }) => `${code} ${rows.join()}: ${examples.join(', ')}`);
    if (warnings) expect(told).to.have.members(warnings);
  }

  for (const { name, bytes, options, expected } of corpus)
    it(`${name} is ${'refused' in expected ? 'refused' : 'planned'} as expected`, async () => {
      const file = path.join(folder.path, `${name}.csv`);
      writeFileSync(file, bytes);
      if ('refused' in expected) await expectRefusal(file, options, expected.refused);
      else await expectPlan(file, options, expected);
    });
});

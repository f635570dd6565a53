import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { corpus, type Expected } from '../../../fixtures/csv/cases.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

const folder = new URL('../../../fixtures/csv/', import.meta.url);

interface Printed {
  plan?: {
    format: { encoding: string; delimiter: string };
    counts: { rows: number; created: number; skipped: number; rejected: number };
    ignoredColumns: string[];
    warnings: { code: string; rows: number[]; examples: string[] }[];
    samples: { line: number; outcome: string; code?: string; reason?: string; person?: string }[];
  };
  error?: { message: string };
}

function expectPlan({ plan }: Printed, expected: Exclude<Expected, { refused: string }>): void {
  if (plan === undefined) throw new Error('no plan');
  const { format, created, rejected = {}, ignored, people, firstLine, warnings } = expected;
  const of = (outcome: string) => plan.samples.filter((sample) => sample.outcome === outcome);
  expect(
    Object.fromEntries(of('rejected').map(({ line, code, reason }) => [line, `${code}: ${reason}`])),
  ).to.deep.equal(rejected);
  const bad = Object.keys(rejected).length;
  expect(plan.counts).to.include({ rows: created + bad, created, skipped: 0, rejected: bad });
  if (format) expect([plan.format.encoding, plan.format.delimiter]).to.deep.equal(format);
  if (ignored) expect(plan.ignoredColumns).to.deep.equal(ignored);
  if (people) expect(of('created').map(({ person }) => person)).to.deep.equal(people);
  if (warnings)
    expect(
      plan.warnings.map(({ code, rows, examples }) => `${code} ${rows.join()}: ${examples.join(', ')}`),
    ).to.have.members(warnings);
  if (firstLine) expect(plan.samples[0]?.line).to.equal(firstLine);
}

describe('The corpus of import files', () => {
  const importing = useImporting();
  beforeEach(async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    await buildCourse(importing.context, trainer, { title: 'Course 1' });
  });

  it('is what its script writes: at least sixty files', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
    expect(files.sort()).to.deep.equal(corpus.map(({ name }) => `${name}.csv`).sort());
    expect(files.length).to.be.at.least(60);
    for (const { name, bytes } of corpus)
      expect(readFileSync(new URL(`${name}.csv`, folder)).equals(bytes), name).to.equal(true);
  });

  for (const { name, args = [], expected } of corpus)
    it(`${name} is ${'refused' in expected ? 'refused' : 'planned'} as it should be`, async () => {
      const file = importing.write(`${name}.csv`, readFileSync(new URL(`${name}.csv`, folder)));
      const { exitCode, stdout, stderr } = await importing.run(file, ...args, '--dry-run', '--json');
      expect(stderr).to.equal('');
      const printed = JSON.parse(stdout) as Printed;
      if (!('refused' in expected)) {
        expect(printed.error).to.equal(undefined);
        expect(exitCode).to.equal(printed.plan?.counts.rejected ? 3 : 0);
        return expectPlan(printed, expected);
      }
      const message = (printed.error?.message ?? 'no error').replaceAll(`${importing.folder}/`, '');
      if (expected.refused.endsWith('...')) {
        expect(message.slice(0, expected.refused.length - 3)).to.equal(expected.refused.slice(0, -3));
      } else expect(message).to.equal(expected.refused);
      expect(exitCode).to.equal(2);
    });
});

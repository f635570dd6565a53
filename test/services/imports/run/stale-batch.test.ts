import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { parseImportOptions } from '../../../../src/schemas/import.js';
import { operator } from '../../../../src/services/core.js';
import type { Decision } from '../../../../src/services/imports/plan/outcomes.js';
import { writeBatch } from '../../../../src/services/imports/run/batch.js';
import { buildImport, buildUser } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';

describe('A batch of an import is decided again', () => {
  const harness = useHarness();
  const person = { firstName: 'Ann', lastName: 'Lee', email: 'ann@x.org', phone: '0151 1', role: 'trainee' } as const;

  const failureFor = (country: string, decisions: readonly Decision[] = [], importId = uuidv7()) =>
    harness.context.database
      .inTransaction((transaction) =>
        writeBatch(
          harness.context,
          operator,
          { importId, country, mask: () => [] },
          parseImportOptions('{}'),
          decisions,
          new Map(),
          transaction,
        ),
      )
      .catch((error: unknown) => error);

  it('if the country of phones has changed since', async () => {
    expect(await failureFor('DE')).to.include({ name: 'StaleDecision' });
  });

  it('if the earlier row about a person was rejected', async () => {
    const { id: userId } = await buildUser(harness.context, person);
    const importId = await buildImport(harness.context, 0);
    const { ImportRow } = harness.context.database.models;
    await ImportRow.create({ importId, line: 2, outcome: 'rejected', code: 'COURSE_FULL', userId });
    const same: Decision = {
      outcome: 'skipped',
      code: 'SAME_PERSON',
      earlierLine: 2,
      isAccountCreated: false,
      row: { line: 3, cells: ['Ann'], person: { ...person, isActive: true }, mayQuoteCells: false },
      enrollments: [],
    };
    expect(await failureFor('', [same], importId)).to.include({ name: 'StaleDecision' });
  });
});

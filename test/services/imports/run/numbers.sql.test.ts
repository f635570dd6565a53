import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import type { Import } from '../../../../src/db/models/import.js';
import { importOptionsSchema } from '../../../../src/schemas/import.js';
import { validate } from '../../../../src/schemas/validate.js';
import { submitImport } from '../../../../src/services/imports/queue/submit.js';
import { createImport } from '../../../../src/services/imports/store/repository.js';
import { onMysql } from '../../../support/database.js';
import { observeStatements } from '../../../support/statements.js';
import { hashedPeople, useImporting } from '../support/importing.js';
import { client, submit } from '../support/submitting.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('The numbers of imports', () => {
  const importing = useImporting();

  it('count up from 1', async () => {
    const { number } = await submit(importing, hashedPeople(1));
    const { number: next } = await importing.json(importing.write('people.csv', hashedPeople(1)));
    expect([number, next]).to.deep.equal([1, 2]);
  });

  it('are unique if many imports begin at the same time, over HTTP and at terminals', async () => {
    const queued = numbers(12).map((index) => {
      const path = importing.write(`upload-${index}`, hashedPeople(1, `q${index}x`));
      return submitImport(importing.context, client, { path, name: 'people.csv' }, {});
    });
    // Each import has a separate connection.
    const run = numbers(4).map((index) =>
      importing.json(importing.write(`people-${index}.csv`, hashedPeople(1, `t${index}x`))),
    );
    const begun = await Promise.all([...queued, ...run]);
    expect(begun.map(({ number }) => number).sort((one, other) => one - other)).to.deep.equal(numbers(16));
  });

  // On SQLite, a second transaction begins after the first has ended.
  (onMysql ? it : it.skip)('are chosen again where another import has got the same first', async () => {
    const { context } = importing;
    const file = { fileName: 'people.csv', filePath: '/people.csv', fileSha256: 'x', rowsTotal: null };
    const fields = { status: 'queued', options: validate(importOptionsSchema, {}), ...file } as const;
    const create = (beside?: () => Promise<void>): Promise<Import> =>
      createImport(context, client, { id: uuidv7(), ...fields }, beside);
    const inserted: string[] = [];
    let told = (): void => undefined;
    observeStatements(context.database.sequelize, (sql) => {
      if (!sql.includes('INSERT INTO `imports`')) return;
      inserted.push(sql);
      told();
    });
    try {
      let second: Promise<Import> | undefined;
      const first = await create(async () => {
        const isInserting = new Promise<void>((resolve) => {
          told = resolve;
        });
        second = create();
        await isInserting;
      });
      expect([first.number, (await second)?.number]).to.deep.equal([1, 2]);
      expect(inserted).to.have.length(3);
    } finally {
      observeStatements(context.database.sequelize, false);
    }
  });
});

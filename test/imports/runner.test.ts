import { truncateSync } from 'node:fs';
import { expect } from 'chai';
import { hashedPeople, useImporting } from './importing.js';
import { runToEnd, submit } from './submitting.js';

const count = 1200;

describe('The service, running imports,', () => {
  const importing = useImporting();
  const models = () => importing.context.database.models;

  it('imports nothing of an upload that has lost its end', async () => {
    const { id, filePath } = await submit(importing, hashedPeople(count));
    truncateSync(filePath, hashedPeople(600).length);
    const record = await runToEnd(importing, id);
    expect(record).to.include({
      status: 'failed',
      errorCode: 'FILE_UNUSABLE',
      errorMessage: 'The file people.csv is not what was uploaded. Upload it again.',
    });
    expect(await models().User.count()).to.equal(0);
  });
});

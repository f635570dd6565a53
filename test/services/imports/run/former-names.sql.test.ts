import { expect } from 'chai';
import type { Enrollment } from '../../../../src/db/models/enrollment.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

describe('An import that renames people', () => {
  const importing = useImporting();

  it('keeps their names at the enrollment for managers, and so does its undo', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    const course = await buildCourse(importing.context, trainer, { title: 'Bees' });
    const enrolled: Enrollment[] = [];
    for (const [firstName, email] of [
      ['Ada', 'ada@x.org'],
      ['Ben', 'ben@x.org'],
    ] as const) {
      const person = await buildUser(importing.context, { firstName, lastName: 'King', email });
      enrolled.push(await buildEnrollment(importing.context, person, course, { status: 'active' }));
    }
    const formerNames = () =>
      Promise.all(
        enrolled.map(async (enrollment) => {
          await enrollment.reload({ include: [{ model: importing.models().User, as: 'user' }] });
          return enrollment.nameBefore();
        }),
      );
    const file = importing.write(
      'people.csv',
      'firstName,lastName,email,phone\nAda,Lovelace,ada@x.org,1\nBen,King,ben@x.org,2\n',
    );
    const { id } = await importing.json(file, '--on-existing', 'update');
    expect(await formerNames()).to.deep.equal(['Ada King', null]);
    expect((await importing.cli('imports', 'undo', id, '--yes')).exitCode).to.equal(0);
    expect(await formerNames()).to.deep.equal([null, null]);
  });
});

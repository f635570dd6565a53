import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure } from './support/expectations.js';

describe('A place in a course', () => {
  const harness = useHarness();

  it('is not given back to an account that is no longer a trainee', async () => {
    const { token, user: trainer } = await signIn(harness.context, { role: 'trainer' });
    const course = await buildCourse(harness.context, trainer);
    const former = await buildUser(harness.context);
    const { id } = await buildEnrollment(harness.context, former, course, { status: 'cancelled' });
    await former.update({ role: 'trainer' });
    const change = () => harness.api('put', `/api/enrollments/${id}/status`, token).send({ status: 'active' });
    expectFailure(await change(), 404, 'Trainee not found.');
    await former.update({ role: 'trainee' });
    await change().expect(200);
  });
});

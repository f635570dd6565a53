import { expect } from 'chai';
import { weaving } from '../http/support/courses.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarnessAndCli } from '../support/harness-cli.js';

type Problems = { path: string; msg: string; code: string; params: object }[];

/** Option with its typed value, and the field with the same value in JSON. */
type Case = [option: string, typed: string, field: string, value: unknown];

const long = (count: number) => 'x'.repeat(count);

/** Invalid values of courses, one of each kind. See test/http/course-fields.test.ts for the others. */
const courseCases: Case[] = [
  ['--title', 'Bees\u0007', 'title', 'Bees\u0007'],
  ['--short-description', long(501), 'shortDescription', long(501)],
  ['--type', 'Online', 'courseType', 'Online'],
  ['--max-students', '99999999999999999999', 'maxStudents', 1e20],
  ['--max-students', 'many', 'maxStudents', 'many'],
  ['--start-date', '2026-02-30', 'startDate', '2026-02-30'],
  ['--tag', long(51), 'tags', [long(51)]],
];

describe('the same bad input', () => {
  const { harness, cli } = useHarnessAndCli();

  let token: string;
  let trainerId: string;
  beforeEach(async () => {
    ({ token } = await signIn(harness.context, { role: 'super_admin' }));
    ({ id: trainerId } = await buildUser(harness.context, { role: 'trainer' }));
  });

  async function messageOfApi(method: 'post' | 'put', path: string, body: object): Promise<Problems> {
    const response = await harness.api(method, path, token).send(body).expect(400);
    return (response.body as { errors: Problems }).errors;
  }

  /**
   * Compares the refusal of the command with that of the API, as text and as JSON.
   * @param option the option that sets the field
   */
  async function expectTheSame(argv: readonly string[], problems: Problems, option?: string): Promise<void> {
    const [problem, ...others] = problems;
    expect(others).to.deep.equal([]);
    const { exitCode, stdout, stderr: output } = await cli.run(argv);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    // The terminal also suggests a value.
    const stderr = output.replace(/ Did you mean [^?]+\?/, '');
    // For a field without a label, the message names the option.
    if (option && problem?.msg.startsWith(`${problem.path} `))
      expect(stderr).to.match(new RegExp(`^error: ${option} must [^\n]+\\.\n$`));
    else expect(stderr).to.equal(`error: ${problem?.msg}\n`);
    const { error } = await cli.json<{ error: object }>(argv);
    const details = problems.map(({ path, code, params, msg: message }) => ({ path, code, params, message }));
    expect(error).to.deep.equal({ code: 'VALIDATION', message: problem?.msg, details });
  }

  /** Compares a refusal that concerns no field. */
  async function expectTheSameRefusal(
    argv: readonly string[],
    [method, path, body]: ['post' | 'put' | 'delete', string, object?],
  ): Promise<void> {
    const response = await harness.api(method, path, token).send(body);
    expect(response.status).to.be.within(400, 409);
    const { error } = await cli.json<{ error: { code: string; message: string } }>(argv);
    // The API adds a code to some refusals, the terminal to all.
    const message = response.body as { error: string; code?: string };
    expect(error.message).to.equal(message.error);
    if (message.code !== undefined) expect(error.code).to.equal(message.code);
  }

  describe('for a course', () => {
    it('is refused with the same sentence by the API and the command line', async () => {
      const trainer = await harness.context.database.models.User.findByPk(trainerId, { rejectOnEmpty: true });
      const { id } = await buildCourse(harness.context, trainer);
      for (const [option, typed, field, value] of courseCases) {
        const valid = { title: weaving.title, description: weaving.description, trainerId };
        const given = { '--title': weaving.title, '--description': weaving.description, [option]: typed };
        const create = ['courses', 'create', ...Object.entries(given).flat(), '--trainer', trainerId];
        await expectTheSame(create, await messageOfApi('post', '/api/courses', { ...valid, [field]: value }), option);
        const edit = ['courses', 'edit', id, option, typed];
        await expectTheSame(edit, await messageOfApi('put', `/api/courses/${id}`, { [field]: value }), option);
      }
    });

    it('is refused for all fields together', async () => {
      const problems = await messageOfApi('post', '/api/courses', { level: 'hard', maxStudents: 0, trainerId });
      expect(problems).to.have.lengthOf(4);
      const argv = ['courses', 'create', '--level', 'hard', '--max-students', '0', '--trainer', trainerId];
      const { error } = await cli.json<{ error: { details: object[] } }>(argv);
      expect(error.details).to.deep.equal(
        problems.map(({ path, code, params, msg: message }) => ({ path, code, params, message })),
      );
    });

    it('is refused with the same words for an unknown account or course', async () => {
      const { title, description } = weaving;
      const create = ['courses', 'create', '--title', title, '--description', description, '--trainer', 'nobody'];
      await expectTheSameRefusal(create, ['post', '/api/courses', { title, description, trainerId: 'nobody' }]);
      const publish = ['put', '/api/courses/nothing/publish', { isPublished: true }] as ['put', string, object];
      await expectTheSameRefusal(['courses', 'publish', 'nothing'], publish);
      const assign = ['put', '/api/courses/nothing/assign-trainer', { trainerId }] as ['put', string, object];
      await expectTheSameRefusal(['courses', 'assign-trainer', 'nothing', trainerId], assign);
      await expectTheSameRefusal(['courses', 'delete', 'nothing', '--yes'], ['delete', '/api/courses/nothing']);
    });
  });

  describe('for an enrollment', () => {
    async function parties() {
      const trainer = await harness.context.database.models.User.findByPk(trainerId, { rejectOnEmpty: true });
      const [course, trainee] = [await buildCourse(harness.context, trainer), await buildUser(harness.context)];
      return { course, trainee, other: await buildUser(harness.context) };
    }

    it('is refused with the same sentence by the API and the command line', async () => {
      const { course, trainee, other } = await parties();
      const assign = ['enrollments', 'assign', course.id, trainee.id];
      for (const [option, value, body] of [
        ['--status', 'done', { status: 'done' }],
        ['--reply', long(2001), { reply: long(2001) }],
      ] as const) {
        const one = { courseId: course.id, traineeId: trainee.id, ...body };
        const problems = await messageOfApi('post', '/api/enrollments/assign', one);
        await expectTheSame([...assign, option, value], problems, option);
        const many = { courseId: course.id, traineeIds: [trainee.id, other.id], ...body };
        const several = await messageOfApi('post', '/api/enrollments/bulk', many);
        await expectTheSame([...assign, other.id, option, value], several, option);
      }
      const { id } = await buildEnrollment(harness.context, trainee, course, { status: 'active' });
      for (const [field, typed] of [
        ['status', 'done'],
        ['progress', 'half'],
      ] as const) {
        const problems = await messageOfApi('put', `/api/enrollments/${id}/${field}`, { [field]: typed });
        await expectTheSame(['enrollments', field, id, typed], problems);
      }
    });

    it('is refused with the same words if it conflicts with the state', async () => {
      const { course, trainee } = await parties();
      const assign = ['enrollments', 'assign', course.id];
      const path = '/api/enrollments/assign';
      const courseId = course.id;
      await expectTheSameRefusal([...assign, 'nobody'], ['post', path, { courseId, traineeId: 'nobody' }]);
      const { id } = await buildEnrollment(harness.context, trainee, course, { status: 'completed' });
      await expectTheSameRefusal([...assign, trainee.id], ['post', path, { courseId, traineeId: trainee.id }]);
      const status = ['put', `/api/enrollments/${id}/status`, { status: 'cancelled' }] as ['put', string, object];
      await expectTheSameRefusal(['enrollments', 'status', id, 'cancelled'], status);
      const progress = ['put', `/api/enrollments/${id}/progress`, { progress: 5 }] as ['put', string, object];
      await expectTheSameRefusal(['enrollments', 'progress', id, '5'], progress);
      await expectTheSameRefusal(['enrollments', 'remove', 'x', '--yes'], ['delete', '/api/enrollments/x']);
    });
  });
});

import { expect } from 'chai';
import type { Course } from '../../../src/db/models/course.js';
import type { User } from '../../../src/db/models/user.js';
import type { StatusChange } from '../../../src/schemas/enrollment.js';
import { type EnrollmentStatus, enrollmentStatuses } from '../../../src/schemas/enrollment-statuses.js';
import { type Actor, type Caller, operator, programAuthor } from '../../../src/services/core.js';
import { changeStatus } from '../../../src/services/enrollments/change-status.js';
import { changeStatuses } from '../../../src/services/enrollments/change-statuses.js';
import { enrollmentEffects } from '../../../src/services/enrollments/effects.js';
import { assignEnrollment, requestEnrollment } from '../../../src/services/enrollments/enroll.js';
import { assignMany } from '../../../src/services/enrollments/enroll-many.js';
import { removeEnrollments, removeMany } from '../../../src/services/enrollments/remove.js';
import { undoImport } from '../../../src/services/imports/commands.js';
import { queueMails } from '../../../src/services/mail/outbox.js';
import { promote } from '../../../src/services/waiting-list/promotion.js';
import { mailSettings } from '../../support/environment.js';
import { buildCertificate, buildCourse, buildEnrollment, buildGroup, buildUser } from '../../support/factories.js';
import { useImporting } from '../imports/support/importing.js';
import { importFile } from '../imports/support/running.js';

type State = EnrollmentStatus | 'nothing';
const states: readonly State[] = ['nothing', ...enrollmentStatuses];

/** Effects of a manager's change with mails, by status before and after. An unchanged status has none. */
const table: Record<State, Partial<Record<State, string>>> = {
  nothing: { pending: '', waiting: '', active: 'enrolled', completed: 'issue completed', cancelled: 'refused' },
  pending: {
    waiting: 'withdraw',
    active: 'withdraw accepted',
    completed: 'withdraw issue completed',
    cancelled: 'withdraw refused',
    nothing: 'withdraw',
  },
  waiting: {
    pending: 'withdraw',
    active: 'withdraw accepted',
    completed: 'withdraw issue completed',
    cancelled: 'withdraw refused',
    nothing: 'withdraw',
  },
  active: {
    pending: 'withdraw',
    waiting: 'withdraw',
    completed: 'withdraw issue completed',
    cancelled: 'withdraw refused',
    nothing: 'withdraw',
  },
  completed: {
    pending: 'withdraw revoke',
    waiting: 'withdraw revoke',
    active: 'withdraw revoke',
    cancelled: 'withdraw revoke refused',
    nothing: 'withdraw revoke',
  },
  cancelled: {
    pending: 'withdraw',
    waiting: 'withdraw',
    active: 'withdraw enrolled',
    completed: 'withdraw issue completed',
    nothing: 'withdraw',
  },
};

const newsWords = ['enrolled', 'accepted', 'refused', 'completed'];

/** Further effects by author. Only changes of a manager with mails send the news in the table. */
const authors = {
  'a manager': () => [],
  'a manager without mails': () => [],
  'a trainee': (_: State, to: State) => (to === 'pending' ? ['digest'] : []),
  'the program': (_: State, to: State) =>
    to === 'pending' ? ['moved_up', 'digest'] : to === 'active' ? ['moved_up'] : [],
} as const;
type AuthorName = keyof typeof authors;

function expected(by: AuthorName, from: State, to: State): string[] {
  if (from === to) return [];
  const words = (table[from][to] ?? '').split(' ').filter(Boolean);
  const isHeard = (word: string) => by === 'a manager' || !newsWords.includes(word);
  const freed = to === 'pending' || to === 'active' ? [] : ['freed'];
  return [...words.filter(isHeard), ...authors[by](from, to), ...freed].sort();
}

describe('The effects of a change of an enrollment', () => {
  const trainee: Actor = { role: 'trainee', actorId: 'x', origin: 'http', ip: null };
  const causes = {
    'a manager': { author: operator, notify: true },
    'a manager without mails': { author: operator, notify: false },
    'a trainee': { author: trainee, notify: true },
    'the program': { author: programAuthor, notify: true },
  };
  const statusOf = (state: State) => (state === 'nothing' ? undefined : state);

  for (const [by, cause] of Object.entries(causes) as [AuthorName, (typeof causes)[AuthorName]][])
    it(`by ${by} depend on the status before and after`, () => {
      for (const from of states)
        for (const to of states) {
          const effects = enrollmentEffects(statusOf(from), statusOf(to), cause);
          const { certificate, withdrawsNews, news, isInDigest, freesSeat } = effects;
          const flags = [withdrawsNews && 'withdraw', isInDigest && 'digest', freesSeat && 'freed'];
          const words = [certificate, news, ...flags].filter(Boolean);
          expect(words.sort(), `${from} > ${to}`).to.deep.equal(expected(by, from, to));
        }
    });
});

describe('Writers of enrollments', () => {
  const importing = useImporting(mailSettings);
  const manager: Actor = { ...operator, origin: 'http' };
  const { signal } = new AbortController();
  const context = () => importing.context;
  const models = () => importing.models();

  /** Trainee and course whose enrollment changes from one status to another. */
  interface Transition {
    from: State;
    to: State;
    trainee: User;
    trainer: User;
    course: Course;
    /** Empty for a new enrollment. */
    id: string;
  }

  /** Builds a transition. Its course is full if the enrollment goes to the waiting list. */
  async function buildTransition(from: State, to: State): Promise<Transition> {
    const trainer = await buildUser(context(), { role: 'trainer' });
    const trainee = await buildUser(context());
    const given = { isPublished: true, maxStudents: 1, waitingMax: 5, autoAccept: to === 'active' };
    const course = await buildCourse(context(), trainer, given);
    if (to === 'waiting') await buildEnrollment(context(), await buildUser(context()), course, { status: 'active' });
    const transition = { from, to, trainee, trainer, course };
    if (from === 'nothing') return { ...transition, id: '' };
    if (from === 'completed')
      return { ...transition, id: (await buildCertificate(context(), trainee, course)).enrollment.id };
    return { ...transition, id: (await buildEnrollment(context(), trainee, course, { status: from })).id };
  }

  const transitionsOf = async (changes: string) => {
    const transitions: Transition[] = [];
    for (const change of changes.split(', ')) {
      const [from, to] = change.split(' > ') as [State, State];
      transitions.push(await buildTransition(from, to));
    }
    return transitions;
  };

  /** Queues news about the enrollments, as an earlier change would. */
  const plantNews = (transitions: readonly Transition[]) =>
    context().database.inTransaction((transaction) =>
      queueMails(
        context(),
        transitions.map(({ trainee, trainer, course }) => ({
          kind: 'enrolled' as const,
          userId: trainee.id,
          courseId: course.id,
          queueOwner: trainer.id,
          data: { other: 'planted' },
        })),
        transaction,
      ),
    );

  /** Reads the effects of a transition from the database, and whether its course is marked for the waiting list. */
  async function effectsOn({ trainee, trainer, course }: Transition, freed: ReadonlySet<string>): Promise<string[]> {
    const courseId = course.id;
    const mails = await models().Mail.findAll({ where: { userId: [trainee.id, trainer.id] } });
    const certificates = await models().Certificate.findAll({ where: { courseId } });
    const isPlanted = ({ data }: { data: string }) => data.includes('planted');
    return [
      ...mails.filter((mail) => isPlanted(mail) && mail.state === 'withdrawn').map(() => 'withdraw'),
      ...mails.filter((mail) => !isPlanted(mail)).map(({ kind }) => (kind === 'requests' ? 'digest' : kind)),
      ...certificates.map(({ revokedAt }) => (revokedAt ? 'revoke' : 'issue')),
      ...(freed.has(courseId) ? ['freed'] : []),
    ].sort();
  }

  async function expectEffects(
    by: AuthorName,
    transitions: readonly Transition[],
    write: () => Promise<unknown>,
  ): Promise<void> {
    await plantNews(transitions.filter(({ from }) => from !== 'nothing'));
    context().freedSeats.take();
    await write();
    const freed = new Set(context().freedSeats.take());
    for (const transition of transitions) {
      const { from, to } = transition;
      const wanted = expected(by, from, to);
      const shown = (await effectsOn(transition, freed)).join(' ');
      expect(`${from} > ${to}: ${shown}`).to.equal(`${from} > ${to}: ${wanted.join(' ')}`);
    }
  }

  const each = (write: (transition: Transition) => Promise<unknown>) => async (transitions: readonly Transition[]) => {
    for (const transition of transitions) await write(transition);
  };
  const callerOf = (user: User): Caller => {
    return {
      user,
      sessionId: '',
      sessionExpiresAt: new Date(),
      method: 'password' as const,
      ip: null,
      userAgent: null,
    };
  };
  const actorOf = ({ id: actorId }: User): Actor => ({ role: 'trainee', actorId, origin: 'http', ip: null });
  /** Returns the status to assign. In a full course, the trainee gets a place on the waiting list instead. */
  const assigned = (to: State) => (to === 'waiting' ? 'active' : to);

  const [settled, byTrainee] = [
    'pending > active, pending > cancelled, waiting > active, waiting > cancelled, active > completed, active > cancelled, completed > active, cancelled > active',
    'pending > cancelled, waiting > cancelled, active > cancelled, cancelled > pending',
  ];
  const entries =
    'nothing > pending, nothing > active, nothing > waiting, waiting > active, cancelled > active, cancelled > waiting';
  const removals = states
    .filter((state) => state !== 'nothing')
    .map((state) => `${state} > nothing`)
    .join(', ');

  const writers: [
    what: string,
    by: AuthorName,
    changes: string,
    write: (transitions: readonly Transition[]) => Promise<unknown>,
  ][] = [
    [
      'an assignment',
      'a manager',
      entries,
      each(({ course, trainee, to }) =>
        assignEnrollment(context(), manager, {
          courseId: course.id,
          traineeId: trainee.id,
          status: assigned(to),
          whenFull: 'wait',
        }),
      ),
    ],
    [
      'an assignment of a list',
      'a manager',
      entries,
      each(({ course, trainee, to }) =>
        assignMany(context(), manager, {
          courseId: course.id,
          traineeIds: [trainee.id],
          status: assigned(to),
          whenFull: 'wait',
        }),
      ),
    ],
    [
      'a change of the status',
      'a manager',
      settled,
      each(({ id, to: status }) => changeStatus(context(), manager, id, { status })),
    ],
    [
      'a change of the status at the terminal',
      'a manager without mails',
      settled,
      each(({ id, to: status }) => changeStatus(context(), operator, id, { status })),
    ],
    [
      'a change of many statuses',
      'a manager',
      settled,
      async (transitions) => {
        for (const to of new Set(transitions.map((transition) => transition.to))) {
          const ids = transitions.filter((transition) => transition.to === to).map(({ id }) => ({ id }));
          const change = { status: to as StatusChange['status'], joinWaitingList: false };
          await changeStatuses(context(), manager, ids, change, { signal });
        }
      },
    ],
    ['a removal', 'a manager', removals, each(({ id }) => removeEnrollments(context(), manager, [id]))],
    [
      'a removal of many',
      'a manager',
      removals,
      (transitions) => removeMany(context(), manager, { enrollmentIds: transitions.map(({ id }) => id) }),
    ],
    [
      'a request',
      'a trainee',
      'nothing > pending, nothing > active, nothing > waiting, cancelled > pending, cancelled > active, cancelled > waiting',
      each(({ course, trainee }) =>
        requestEnrollment(context(), callerOf(trainee), { courseId: course.id, joinWaitingList: true }),
      ),
    ],
    [
      'a change of the status by the trainee',
      'a trainee',
      byTrainee,
      each(({ trainee, id, to: status }) => changeStatus(context(), actorOf(trainee), id, { status })),
    ],
    [
      'a promotion',
      'the program',
      'waiting > pending, waiting > active',
      (transitions) =>
        promote(
          context(),
          transitions.map(({ course }) => course.id),
          { signal },
        ),
    ],
    [
      'an import',
      'a manager',
      entries,
      (transitions) => importTransitions(transitions, ({ to }) => to, { notify: true }),
    ],
    [
      'an import without mails',
      'a manager without mails',
      entries,
      (transitions) => importTransitions(transitions, ({ to }) => to),
    ],
  ];

  function importTransitions(
    transitions: readonly Transition[],
    statusOf: (transition: Transition) => State,
    options: object = {},
  ) {
    const rows = transitions.map((transition) => {
      const { firstName, lastName, email, phone } = transition.trainee;
      return [firstName, lastName, email, phone, transition.course.title, assigned(statusOf(transition))].join(',');
    });
    const header = 'firstName,lastName,email,phone,course,enrollmentStatus';
    const file = importing.write('people.csv', [header, ...rows].join('\n'));
    return importFile(context(), file, {}, { whenFull: 'wait', ...options });
  }

  for (const [what, by, changes, write] of writers)
    it(`have the expected effects: ${what}`, async () => {
      const transitions = await transitionsOf(changes);
      await expectEffects(by, transitions, () => write(transitions));
    });

  it('have the expected effects: the undo of an import, which sends no mails', async () => {
    const transitions: Transition[] = [];
    const changes = 'pending > nothing, active > nothing, waiting > nothing, active > waiting, active > cancelled';
    for (const change of changes.split(', ')) {
      const [from, to] = change.split(' > ') as [State, State];
      transitions.push({ ...(await buildTransition(to, from)), from, to });
    }
    const { id } = await importTransitions(transitions, ({ from }) => from);
    const undo = () => undoImport(context(), operator, id, { signal, onWait: () => undefined });
    await expectEffects('a manager without mails', transitions, undo);
  });

  it('have the expected effects: a sync whose file no longer has the people, which sends no mails', async () => {
    const transitions = await transitionsOf('pending > cancelled, active > cancelled, waiting > cancelled');
    const group = await buildGroup(
      context(),
      transitions.map(({ trainee }) => trainee.id),
      'Class',
    );
    await group.update({ syncedAt: new Date(0) });
    await models().GroupMember.update({ source: 'file' }, { where: {} });
    const made = transitions.map(({ id }) => ({ groupId: group.id, enrollmentId: id }));
    await models().GroupEnrollment.bulkCreate(made);
    const file = importing.write('people.csv', 'firstName,lastName,email,phone\nNew,Person,new@example.org,+44 1\n');
    const options = { roster: 'Class', maxLeaving: '100%' };
    await expectEffects('a manager without mails', transitions, () =>
      importFile(context(), file, { allowLeaving: transitions.length }, options),
    );
    expect(await models().Enrollment.count({ where: { cancelReason: 'roster' } })).to.equal(transitions.length);
  });
});

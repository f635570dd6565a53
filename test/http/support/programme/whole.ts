import { answerOf, get, page } from './command.js';
import { listCourses } from './course-rules.js';
import { listTrainerEnrollments } from './listing-rules.js';
import type { Answer, Programme } from './model.js';
import { compare, type Question, type Service } from './service.js';
import { listUsers } from './user-rules.js';

/** Compares all that there is of a run, as the super admin sees it. Enrollments are those in the trainers' courses. */
export async function compareWhole(programme: Programme, service: Service): Promise<void> {
  const { cast, tag, people } = programme;
  const caller = cast.superAdmin;
  const trainers = [...people.values()].filter(({ role }) => role === 'trainer');
  const operations: { question: Question; rule: () => Answer }[] = [
    {
      question: get('/api/courses', { ...page, category: tag }),
      rule: () => listCourses(programme, caller, {}),
    },
    { question: get('/api/users', { ...page, search: tag }), rule: () => listUsers(programme, caller) },
    ...trainers.map(({ id }) => ({
      question: get(`/api/enrollments/trainer/${id}`, page),
      rule: () => listTrainerEnrollments(programme, caller, id, {}),
    })),
  ];
  for (const { question, rule } of operations)
    compare(await service.ask(question, caller), answerOf(rule), `the whole: ${question.path}`);
}

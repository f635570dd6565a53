import fc from 'fast-check';
import { type Answer, type CastName, type Chosen, castNames, type Person, type Programme, Refusal } from './model.js';
import { chosenIn, compare, type Question, type Service } from './service.js';
import { pageLimit } from './views.js';

/** What is asked of the service, and the model's answer to it. */
interface Operation {
  question: Question;
  rule(chosen: Chosen): Answer;
  /** Who asks, where it isn't the command's actor. */
  by?: Person;
}

type Plan<T> = (choices: T, programme: Programme, caller: Person | undefined) => Operation | Operation[];

/** One request, or a few that say something together. It keeps choices, not ids: those differ from run to run. */
class Command<T> implements fc.AsyncCommand<Programme, Service> {
  constructor(
    private readonly name: string,
    private readonly actor: CastName | 'anonymous',
    private readonly choices: T,
    private readonly plan: Plan<T>,
  ) {}

  check(): boolean {
    return true;
  }

  async run(programme: Programme, service: Service): Promise<void> {
    const caller = this.actor === 'anonymous' ? undefined : programme.cast[this.actor];
    for (const { question, rule, by = caller } of [this.plan(this.choices, programme, caller)].flat()) {
      const given = await service.ask(question, by);
      const expected = answerOf(() => rule(chosenIn(given, programme)));
      compare(given, expected, `${this} (${question.method} ${question.path})`);
    }
  }

  toString(): string {
    return `${this.actor}: ${this.name} ${fc.stringify(this.choices)}`;
  }
}

export function answerOf(rule: () => Answer): Answer {
  try {
    return rule();
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

type Cast = (CastName | 'anonymous')[];
export const managers: Cast = ['superAdmin', 'ada', 'ben'];
export const trainees: Cast = ['tom', 'tess', 'tim'];
export const everybody: Cast = [...castNames, 'anonymous'];

/** Commands by those who are likely to be let, and now and then by anybody. */
export function operation<T>(
  name: string,
  actors: Cast,
  choices: fc.Arbitrary<T>,
  plan: Plan<T>,
): fc.Arbitrary<fc.AsyncCommand<Programme, Service>> {
  const actor = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...actors) },
    { weight: 1, arbitrary: fc.constantFrom(...everybody) },
  );
  return fc.tuple(actor, choices).map(([who, what]) => new Command(name, who, what, plan));
}

/** A question for a listing asks for all there is. */
export const get = (path: string, query: NonNullable<Question['query']> = {}): Question => ({
  method: 'GET',
  path,
  query,
});
export const page = { limit: pageLimit };

export type Commands = readonly { weight: number; arbitrary: fc.Arbitrary<fc.AsyncCommand<Programme, Service>> }[];
export const weighted = (weight: number, arbitrary: Commands[number]['arbitrary']) => ({ weight, arbitrary });

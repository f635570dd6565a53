import type { Course } from '../../../src/db/models/course.js';
import type { Import } from '../../../src/db/models/import.js';
import type { User } from '../../../src/db/models/user.js';
import { type ImportWorker, startImportWorker } from '../../../src/services/imports/queue/worker.js';
import { type Importing, useImporting } from '../../services/imports/support/importing.js';
import { mailSettings } from '../../support/environment.js';
import { buildCourse, signIn } from '../../support/factories.js';
import { until } from '../../support/until.js';

/** Returns a file of people with these emails. */
export const fileOf = (...emails: string[]): string =>
  ['firstName,lastName,email', ...emails.map((email) => `Given,Family,${email}`)].join('\n');

/** Imports of a trainer with a course. */
export interface TrainerImporting extends Importing {
  trainer: User;
  token: string;
  course: Course;
  /** Calls an operation below `/api/imports`, by default as the trainer. */
  call(method: 'get' | 'post', path: string, token?: string): ReturnType<Importing['api']>;
  /** Uploads a file with the course of the trainer. */
  upload(file: string | Buffer, fields?: Record<string, string>, name?: string): ReturnType<Importing['api']>;
  /** Uploads a file, and makes its plan. @returns the import */
  planFile(file: string | Buffer, fields?: Record<string, string>, name?: string): Promise<ImportBody>;
  show(id: string, token?: string): Promise<ImportBody>;
  /** Waits until the worker has planned or run an import. */
  settle(id: string): Promise<Import>;
  startWorker(): void;
  stopWorker(): Promise<void>;
  /** Plans, applies and runs the import of a file. @returns the import */
  importPeople(file: string | Buffer): Promise<ImportBody>;
}

/** An import in a response. */
// biome-ignore lint/suspicious/noExplicitAny: responses have the shapes that the contract test checks.
export type ImportBody = any;

/** Gives the enclosing `describe` a trainer with a course, by default with mail. */
export function useTrainerImporting(settings: Record<string, string> = mailSettings): TrainerImporting {
  const importing = useImporting(settings) as TrainerImporting;
  let worker: ImportWorker | undefined;
  importing.startWorker = () => {
    worker = startImportWorker(importing.context, { pollMs: 10 });
  };
  importing.stopWorker = async () => {
    await worker?.close();
    worker = undefined;
  };
  afterEach(importing.stopWorker);
  beforeEach(async () => {
    const { context } = importing;
    ({ user: importing.trainer, token: importing.token } = await signIn(context, { role: 'trainer' }));
    importing.course = await buildCourse(context, importing.trainer, { title: 'Compilers' });
    importing.startWorker();
  });
  importing.call = (method, path, token = importing.token) => importing.api(method, `/api/imports${path}`, token);
  importing.upload = (file, fields = {}, name = 'people.csv') =>
    importing
      .call('post', '')
      .attach('file', Buffer.from(file), name)
      .field({ plan: 'true', course: importing.course.id, ...fields });
  importing.show = async (id, token) => (await importing.call('get', `/${id}`, token).expect(200)).body.import;
  importing.settle = async (id) => {
    const find = () => importing.models().Import.findByPk(id, { rejectOnEmpty: true });
    await until(async () => !['planning', 'queued', 'running'].includes((await find()).status));
    return find();
  };
  importing.planFile = async (file, fields, name) => {
    const { body } = await importing.upload(file, fields, name).expect(202);
    await importing.settle(body.import.id);
    return importing.show(body.import.id);
  };
  importing.importPeople = async (file) => {
    const { id } = await importing.planFile(file);
    await importing.call('post', `/${id}/apply`).send({}).expect(202);
    await importing.settle(id);
    return importing.show(id);
  };
  return importing;
}

import { expect } from 'chai';
import type Joi from 'joi';
import { commandLineName } from '../../src/cli/core/command/error-messages.js';
import type { Operation } from '../../src/http/api/operation.js';
import { contract } from '../../src/http/api/operations/contract.js';
import { commands } from './support/command-lines.js';

/** Commands, and the operations with the same input. */
const counterparts: Readonly<Record<string, readonly (keyof typeof contract)[]>> = {
  'audit list': ['listAudit'],
  'certificates list': ['listCertificates'],
  'courses create': ['createCourse'],
  'courses delete': ['deleteCourse'],
  'courses edit': ['updateCourse'],
  'courses export': ['exportCourses'],
  'courses files list': ['listMaterials'],
  'courses list': ['listCourses'],
  'courses trainers': ['listAvailableTrainers'],
  'enrollments export': ['exportEnrollments'],
  'enrollments list': ['listEnrollments'],
  'groups list': ['listGroups'],
  'imports list': ['listImports'],
  'users edit': ['updateUser'],
  'users export': ['exportUsers'],
  'users import': ['createImport'],
  'users list': ['listUsers'],
  'users register': ['register'],
};

/** Fields without an option of their own: flags, standard input, and fields with a fixed value at the terminal. */
const otherwise: Readonly<Record<string, string>> = {
  // `--limit all` sets the field for each page.
  afterId: '--limit',
  isActive: '--inactive',
  isFeatured: '--featured',
  isPublished: '--published',
  otherCourses: '--course',
  password: '--password-stdin',
  withPasswords: '--credentials',
};

/** Fields of `users import` that another command has. */
const inSync = ['roster', 'onLeave', 'maxLeaving'];

/** Returns the sort keys of listings. */
const keysOf = (schemas: readonly Joi.Schema[]): string[] =>
  schemas.flatMap((schema) => schema.describe().keys?.sortBy?.allow ?? []);

const inputOf = ({ query, body, upload }: Operation) =>
  [query, body, upload?.fields].filter((schema) => schema !== undefined);

describe('The options of commands', () => {
  for (const [words, names] of Object.entries(counterparts)) {
    const command = commands.get(words);
    if (!command) throw new Error(`No command ${words}.`);
    const schemas = names.flatMap((name) => inputOf(contract[name]));
    const has = (name: string) => command.options.some(({ long }) => long === name);

    it(`cover every field of ${names.join(', ')} for "${words}"`, () => {
      const fields = new Set(schemas.flatMap((schema) => Object.keys(schema.describe().keys)));
      const sync = commands.get('users sync');
      for (const field of words === 'users import' ? inSync : [])
        if (sync && commandLineName(sync, field) !== field) fields.delete(field);
      const missing = [...fields].filter((field) => !has(otherwise[field] ?? commandLineName(command, field)));
      const hint = 'Add an option, or the other name of the field in src/cli/core/command/error-messages.ts';
      expect(missing, hint).to.deep.equal([]);
    });

    if (has('--sort'))
      it(`list the sort keys of "${words}"`, () => {
        const keys = keysOf(schemas);
        const option = command.options.find(({ long }) => long === '--sort');
        const words = new Set(option?.description.match(/\w+/g));
        const missing = keys.filter((key) => !words.has(key));
        expect(missing, 'Name each key in the description of --sort').to.deep.equal([]);
        const wrong = keysOf(Object.values(contract).flatMap(inputOf)).filter(
          (key) => words.has(key) && !keys.includes(key),
        );
        expect(wrong, 'Name no other key in the description of --sort').to.deep.equal([]);
      });
  }
});

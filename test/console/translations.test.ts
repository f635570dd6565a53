import { expect } from 'chai';
import { de } from '../../src/console/i18n/de/translations.js';
import { en } from '../../src/console/i18n/en/translations.js';
import { problemCodes } from '../../src/field-problem.js';
import { publicCodes } from '../../src/http/api/failures.js';
import { auditedFields } from '../../src/schemas/account-fields.js';
import { courseFieldNames } from '../../src/schemas/course-fields.js';
import { enrollmentFieldNames } from '../../src/schemas/enrollment-fields.js';
import { fileProblemReasons } from '../../src/schemas/file-format.js';
import { importOptionsSchema } from '../../src/schemas/import.js';
import { rowCodes } from '../../src/services/imports/read/fields/row-codes.js';

type Translations = { readonly [key: string]: string | Translations };

const textsByKey = (catalogue: Translations, prefix = ''): Map<string, string> =>
  new Map(
    Object.entries(catalogue).flatMap(([key, value]) =>
      typeof value === 'string' ? [[`${prefix}${key}`, value] as const] : [...textsByKey(value, `${prefix}${key}.`)],
    ),
  );

const placeholders = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(([name]) => name).sort();

describe('The translations of the web console', () => {
  const english = textsByKey(en);

  for (const [language, catalogue] of Object.entries({ German: de })) {
    const words = textsByKey(catalogue);

    it(`are complete in ${language}`, () => {
      expect([...words.keys()].sort()).to.deep.equal([...english.keys()].sort());
      for (const [key, text] of words) expect(text.trim(), key).not.to.equal('');
    });

    it(`have the same placeholders in ${language}`, () => {
      for (const [key, text] of words)
        expect(placeholders(text), key).to.deep.equal(placeholders(english.get(key) ?? ''));
    });
  }

  it('begin every status with a capital letter, in badges and filters', () => {
    for (const { courses, importStatus, imports, mail, people } of [en, de]) {
      const statuses = [
        ...Object.values({ ...courses.status, ...courses.published }),
        ...[courses.dates.ended, courses.dates.running],
        ...Object.values(importStatus),
        ...Object.values({ ...imports.outcomes, ...imports.undo }),
        ...Object.values({ ...mail.state, ...people.state }),
        ...Object.values(imports.planned),
        ...Object.values(people.filter.invited),
        ...(['future', 'invite', 'past'] as const).flatMap((tense) => Object.values(people.bulk[tense].one)),
      ];
      expect(statuses.filter((status) => !/^\p{Lu}/u.test(status))).to.deep.equal([]);
    }
  });

  it('repeat the words of a button in its accessible name (WCAG 2.2, 2.5.3)', () => {
    for (const { catalogue, courses } of [en, de])
      for (const [words, name] of [
        [courses.progress.set, courses.progress.setOf],
        [courses.materials.title, courses.materials.of],
        [courses.certificate.open, courses.certificate.of],
        [catalogue.addToCalendar, catalogue.addToCalendarOf],
      ] as const)
        expect(name).to.include(words);
  });

  it('name the audited values of imports and materials', () => {
    const options = Object.keys(importOptionsSchema.describe().keys as object);
    expect({ ...en.field, ...en.audit.field }).to.include.all.keys(
      ...options,
      'fileName',
      'rows',
      'name',
      'contentType',
      'bytes',
    );
  });

  it('name every audited field of accounts, courses and enrollments', () => {
    const words = { ...en.field, ...en.courses.field, ...en.audit.field };
    expect(words).to.include.all.keys(...auditedFields, ...courseFieldNames, ...enrollmentFieldNames);
  });

  it('explain every reason why a file or row is not imported', () => {
    const ofImports = fileProblemReasons.filter((reason) => !(reason in en.problem));
    expect(en.imports.problem).to.have.all.keys(...ofImports, 'PLAN_OUTDATED');
    expect(en.imports.why).to.have.all.keys(...rowCodes);
  });

  it('cover every error code of the service', () => {
    expect(en.refusal).to.have.all.keys(...publicCodes);
    expect(en.problem).to.have.all.keys(...problemCodes);
  });

  it('have singular and plural forms if they count', () => {
    for (const key of english.keys())
      if (key.endsWith('_one')) expect([...english.keys()]).to.include(key.replace(/_one$/, '_other'));
    // "More than 10,000 accounts" needs no singular.
    const counts = /^(?!More than).*\{\{(count|number|max|total)\}\} \w+s\b/;
    for (const [key, text] of english) if (!/_(one|other)$/.test(key)) expect(text, key).not.to.match(counts);
  });
});

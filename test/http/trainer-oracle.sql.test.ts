import { expect } from 'chai';
import { buildCourse, buildGroup, buildUser } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { useTrainerImporting } from './support/trainer-importing.js';

/** Returns numbers below a maximum, the same in each run. */
function seededNumbers(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const hidden = ['root@example.org', 'trainer@example.org', 'gone@example.org', 'idle@example.org'];
const takenPhones = ['+1 555 900001', '+1 555 900002', '+1 555 900003', '+1 555 900004'];
const known = 'known@example.org';
/** Phone of the trainee {@link known}. */
const knownPhone = '+1 555 900009';
const files = 50;

/** A value of a cell in two files that a trainer compares. The first file asks about something that exists. */
type Pair = readonly [string, string];

const both = (text: string): Pair => [text, text];

describe('A curious trainer', function () {
  this.timeout(scaled(240_000));
  const importing = useTrainerImporting();

  beforeEach(async () => {
    const { context } = importing;
    const [root, trainer, gone, idle] = hidden;
    const named = { firstName: 'Canary', lastName: 'Canary' };
    const rest = (email = '', at = 0) => ({ ...named, email, phone: takenPhones[at] ?? '' });
    await buildUser(context, { role: 'super_admin', ...rest(root) });
    const other = await buildUser(context, { role: 'trainer', ...rest(trainer, 1) });
    await buildUser(context, { role: 'trainer', isActive: false, ...rest(gone, 2) });
    await buildUser(context, { isActive: false, ...rest(idle, 3) });
    await buildCourse(context, other, { title: 'Secret course', isPublished: false });
    await buildUser(context, { firstName: 'Shown', email: known, phone: knownPhone });
    await buildGroup(context, [other.id], 'Hidden group');
  });

  /** Returns the cells of a row: for each pair, the files differ in what exists. */
  function rowOf(file: number, at: number, next: (below: number) => number): Pair[] {
    const tag = `${String(file).padStart(2, '0')}${at}`;
    const emails: Pair[] = [
      [hidden[next(4)] ?? '', hidden[next(4)] ?? ''],
      [`new${tag}a@example.org`, `new${tag}b@example.org`],
      both(known),
      both('nobody'),
    ];
    const phones: Pair[] = [[takenPhones[next(4)] ?? '', '+1 555 123456'], both('')];
    const courses: Pair[] = [['Secret course', 'Absent course'], both('')];
    const groups: Pair[] = [['Hidden group', 'Absent group'], both('')];
    const pick = (list: readonly Pair[]) => list[next(list.length)] ?? both('');
    return [both('Given'), both('Family'), pick(emails), pick(phones), pick(courses), pick(groups)];
  }

  /** Removes ids, times, and the texts of the trainer's own cells from a response. */
  const withoutOwnTexts = (text: string) =>
    text
      .replace(/[\w.]+@example\.org/g, 'an email')
      .replace(/\+1 555 \d+/g, 'a phone')
      .replace(/(Secret|Absent) course|(Hidden|Absent) group/g, 'a name')
      .replace(/[\da-f]{8}-[\da-f-]{27}/g, 'an id')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
      .replace(/"(id|number)":("[\da-f]{16}"|\d+)/g, '"$1":0');

  const header = 'firstName,lastName,email,phone,course,group';
  const searches = ['', 'shown', knownPhone, '900009'].map((text) => `?search=${encodeURIComponent(text)}`);

  async function read(paths: readonly string[], id: string): Promise<string[]> {
    const texts: string[] = [];
    for (const path of paths) texts.push((await importing.call('get', `/${id}${path}`)).text);
    return texts;
  }

  /** Returns all that a trainer can read about an import. @param csv own file @param isApplied whether to run it, too */
  async function answers(csv: string, isApplied: boolean): Promise<string[]> {
    const { id } = await importing.planFile(csv);
    const rows = searches.map((query) => `/rows${query}`);
    const expectNotFound = (texts: readonly string[]) => {
      // The account is found by the cells of the file, not by its own name or phone.
      for (const text of texts.slice(2, 5)) expect(JSON.parse(text).rows).to.deep.equal([]);
    };
    const planned = await read(['', ...rows, '/rejected.csv', '/outcome.csv'], id);
    expectNotFound(planned);
    // The name of an account is shown once the person is a participant.
    for (const text of planned) expect(text).not.to.include('Shown');
    if (!isApplied) {
      await importing.call('post', `/${id}/cancel`).expect(200);
      return planned;
    }
    await importing.call('post', `/${id}/apply`).send({}).expect(202);
    await importing.settle(id);
    const done = await read(['', ...rows, '/rejected.csv', '/outcome.csv', '/events'], id);
    expectNotFound(done);
    const undone = (await importing.call('post', `/${id}/undo`)).text;
    return [...planned, ...done, undone];
  }

  it(`gets the same answers about ${files} files, whatever exists outside of their course`, async () => {
    for (let file = 0; file < files; file += 1) {
      const next = seededNumbers(file + 1);
      const rows = Array.from({ length: 1 + next(6) }, (_, at) => rowOf(file, at, next));
      // A plan rejects repeated emails, so a file has each hidden account once.
      const isRepeated = ([, , email]: Pair[], at: number, variant: 0 | 1) =>
        email?.[variant] !== 'nobody' && rows.findIndex((row) => row[2]?.[variant] === email?.[variant]) < at;
      const different = rows.filter((row, at) => !isRepeated(row, at, 0) && !isRepeated(row, at, 1));
      const csvOf = (variant: 0 | 1) =>
        [header, ...different.map((row) => row.map((pair) => pair[variant]).join(','))].join('\n');
      const isApplied = file % 5 === 0;
      const [first, second] = [await answers(csvOf(0), isApplied), await answers(csvOf(1), isApplied)];
      for (const [at, text] of first.entries())
        expect(withoutOwnTexts(text), `file ${file}: ${csvOf(0)}`).to.equal(withoutOwnTexts(second[at] ?? ''));
      for (const text of [...first, ...second]) expect(text).not.to.include('Canary');
    }
  });
});

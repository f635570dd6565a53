import { expect } from 'chai';
import { isAppError } from '../../../../src/errors.js';
import { openImportFile } from '../../../../src/services/imports/read/import-file.js';
import { onThisMachine } from '../../../support/machine.js';
import { people } from '../support/importing.js';

const limits = { fieldBytes: 64 * 1024, recordBytes: 1024 * 1024, columns: 256, batchRows: 500 };
const columns = [
  'firstName',
  'lastName',
  'email',
  'phone',
  'role',
  'isActive',
  'password',
  'passwordHash',
  'course',
  'enrollmentStatus',
  'notes',
];
const plain: Readonly<Record<string, string>> = {
  firstName: 'Ada',
  lastName: 'King',
  email: 'ada@example.org',
  phone: '+44 20 7946 0001',
};

/** What is measured too much where little is, in milliseconds of CPU. */
const slackMs = onThisMachine(50);

/** Reads and checks a file, as far as it goes. @returns what that costs, in milliseconds of CPU */
async function cpuMs(content: string, map?: string[]): Promise<number> {
  async function* chunks() {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
  }
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 2; round += 1) {
    const before = process.cpuUsage();
    try {
      const format = { encoding: 'utf-8', delimiter: ',' } as const;
      const options = map === undefined ? {} : { map };
      const file = await openImportFile(chunks(), { options, format, policy: () => undefined }, limits);
      for await (const batch of file.batches) expect(batch.length).to.be.above(0);
    } catch (error) {
      // A header that means nothing, or a mapping: it is the cost of finding that out that counts.
      if (!isAppError(error, 'IMPORT_FILE_INVALID', 'USAGE')) throw error;
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const fill = (unit: string, bytes: number) => {
  const count = Math.floor(bytes / Buffer.byteLength(unit));
  return unit.includes('\u0316') ? Array.from(unit, (sign) => sign.repeat(count)).join('') : unit.repeat(count);
};

const units: Readonly<Record<string, string>> = {
  'marks in two orders': '\u0301\u0316',
  'half-width sound marks': '\uff9e\u0301\u0316',
  'ligatures that become eighteen letters': '\ufdfa',
  spaces: ' ',
  'pieces of addresses': 'a.',
  'pieces of names': 'a ',
  'digits far apart': '1 ',
  'digits of another script': '\u0667',
  "apostrophes of formulas that aren't": "'",
};

describe('The cost of a file', () => {
  let perByte: number;
  before(async () => {
    const content = people(10_000);
    perByte = (await cpuMs(content)) / content.length;
  });

  /** What as many bytes of people cost, in milliseconds of CPU. */
  const yardstickOf = (content: string) => perByte * Buffer.byteLength(content);

  for (const [what, row] of [
    ['rows of two empty cells', ',\n'],
    ['rows of one blank cell', ' \n'],
    ['formulas in rows of one blank cell', '=" "\n'],
  ] as const)
    it(`is not much more a byte than that of people, with ${what}`, async () => {
      const content = `${columns.join(',')}\n${row.repeat(400_000 / row.length)}`;
      const [yardstick, cost] = [yardstickOf(content), await cpuMs(content)];
      expect(cost, `yardstick ${yardstick} ms`).to.be.below(4 * yardstick + slackMs);
    });

  for (const [what, unit] of Object.entries(units)) {
    it(`is no more a byte than that of people, with ${what} in every cell`, async () => {
      const cell = fill(unit, 64 * 1024 - 8);
      const rows = columns.map((column) =>
        columns.map((name) => (name === column ? cell : (plain[name] ?? ''))).join(),
      );
      const content = `${columns.join(',')}\n${rows.join('\n')}\n`;
      const [yardstick, cost] = [yardstickOf(content), await cpuMs(content)];
      expect(cost, `yardstick ${yardstick} ms`).to.be.below(2 * yardstick + slackMs);
    });

    it(`is no more a byte than that of people, with ${what} in every heading, and mappings of them`, async () => {
      const long = fill(unit, 64 * 1024 - 8);
      const short = fill(unit, 256);
      for (const [heading, count] of [
        [long, 14],
        [short, 250],
      ] as const) {
        const content = `${[...columns.slice(0, 4), ...Array(count).fill(heading)].join(',')}\n${Object.values(plain).join(',')}\n`;
        const map = Array.from({ length: 100 }, (_, index) => `${fill(unit, 900)}${index}=phone`);
        const yardstick = yardstickOf(content);
        for (const maps of [undefined, map, [`${heading}=notes`]]) {
          const cost = await cpuMs(content, maps);
          expect(cost, `yardstick ${yardstick} ms`).to.be.below(2 * yardstick + slackMs);
        }
      }
    });
  }

  it('is no more for full names', async () => {
    for (const unit of Object.values(units)) {
      const content = `name,email,phone\n${`${fill(unit, 64 * 1024 - 8)} x,ada@example.org,1\n`.repeat(6)}`;
      const [yardstick, cost] = [yardstickOf(content), await cpuMs(content)];
      expect(cost, `${unit}, yardstick ${yardstick} ms`).to.be.below(2 * yardstick + slackMs);
    }
  });
});

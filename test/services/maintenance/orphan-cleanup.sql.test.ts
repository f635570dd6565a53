import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Course } from '../../../src/db/models/course.js';
import { createLogger } from '../../../src/logger.js';
import type { FileState } from '../../../src/schemas/file.js';
import { type Context, createContext } from '../../../src/services/context.js';
import { storeFile } from '../../../src/services/files/files.js';
import { holdRemovals } from '../../../src/services/files/removal-hold.js';
import { sweepFiles, sweepStorage } from '../../../src/services/maintenance/orphan-cleanup.js';
import { startHousekeeping } from '../../../src/services/maintenance/schedule.js';
import { UnreadableObject } from '../../../src/storage/storage.js';
import { expectNothingLeft, fileRows, storedKeys, storingAfter, uploadsIn } from '../../http/support/uploads.js';
import { emptySweep } from '../../support/empty-sweep.js';
import { buildCourse, buildMaterial, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { whileSchemaIsNewer } from '../../support/newer-schema.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';

const hour = 3_600_000;

describe('The cleanup of files', () => {
  const harness = useHarness();
  let folder: ReturnType<typeof temporaryFolder>;
  let context: Context;
  let course: Course;
  let logged: string[];

  beforeEach(async () => {
    folder = temporaryFolder();
    logged = [];
    const { config, hasher } = harness.context;
    const files = { ...config.files, storage: { kind: 'local' as const, folder: path.join(folder.path, 'files') } };
    const logger = createLogger('info', { write: (line: string) => void logged.push(line) });
    context = await createContext({ ...config, dataDir: folder.path, files }, logger, { hasher });
    course = await buildCourse(context, await buildUser(context, { role: 'trainer' }));
  });
  afterEach(async () => {
    await context.close();
    folder.remove();
  });

  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);
  const uploads = () => path.join(folder.path, 'uploads');

  /** Creates a row and its object as after a crash. */
  async function crashed(
    state: FileState,
    { age = 2 * hour, withObject = true, key = `material/${randomUUID()}` } = {},
  ) {
    await buildMaterial(context, course, { state, storageKey: key, createdAt: ago(age) });
    if (withObject) utimesSync(path.join(folder.path, 'files', key), ago(age), ago(age));
    else await context.storage.remove([key]);
    return key;
  }

  /** Creates an object of an age in the storage, without a row. */
  function objectAt(key: string, age: number): void {
    const file = path.join(folder.path, 'files', key);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'some of it');
    utimesSync(file, ago(age), ago(age));
  }

  /** Creates an object without a row. */
  async function unknownObject(age: number): Promise<string> {
    const key = await crashed('live', { age });
    await context.database.models.StoredFile.destroy({ where: { storageKey: key } });
    return key;
  }

  /** Creates an interrupted upload; with `name`, a file of another program. */
  function leftover(age: number, name: string = randomUUID()): string {
    mkdirSync(uploads(), { recursive: true });
    const file = path.join(uploads(), name);
    writeFileSync(file, 'half of a file');
    utimesSync(file, ago(age), ago(age));
    return file;
  }

  describe('after a crash', () => {
    const [noObject, recent] = [{ withObject: false }, { age: 0 }];
    const crashes: [moment: string, leave: () => unknown, removed: number, leftovers: number][] = [
      ['during an upload', () => [leftover(2 * hour), leftover(2 * hour, `${randomUUID()}.webp`)], 0, 2],
      ['between row and file', () => [crashed('pending', noObject), leftover(2 * hour)], 1, 1],
      ['between storing the file and making it live', () => [crashed('pending')], 1, 0],
      ['between marking the file and removing it', () => [crashed('marked', recent)], 1, 0],
      ['between removing the file and deleting its row', () => [crashed('marked', { ...noObject, ...recent })], 1, 0],
    ];
    for (const [moment, leave, removed, leftovers] of crashes)
      it(`${moment}, removes all remains and no live file`, async () => {
        await crashed('live');
        await Promise.all([leave()].flat());
        expect(await sweepFiles(context)).to.include({ removed, leftovers });
        await expectNothingLeft(context, 1);
      });

    it('between copying a file into the storage and renaming the copy, removes the copy', async () => {
      for (const kind of ['incoming', 'check']) objectAt(`${kind}/${randomUUID()}`, 2 * hour);
      const [young, foreign] = [`incoming/${randomUUID()}`, 'incoming/notes.txt'];
      objectAt(young, 0.9 * hour);
      objectAt(foreign, 2 * hour);
      expect(await sweepFiles(context)).to.include({ removed: 0, leftovers: 2 });
      expect(await storedKeys(context)).to.have.members([young, foreign]);
    });
  });

  it('finds nothing in an empty storage', async () => {
    expect(await sweepStorage(context, true)).to.deep.equal(emptySweep);
    expect(readdirSync(folder.path)).to.deep.equal([]);
  });

  it('keeps uploads that may be running', async () => {
    const key = await crashed('pending', { age: 0.9 * hour });
    const upload = leftover(0.9 * hour);
    expect(await sweepStorage(context, true)).to.deep.equal(emptySweep);
    expect(await fileRows(context)).to.deep.equal([`pending ${key}`]);
    expect([await storedKeys(context), uploadsIn(context)]).to.deep.equal([[key], [path.basename(upload)]]);
  });

  it('keeps other entries of the upload folder', async () => {
    leftover(2 * hour);
    leftover(2 * hour, 'notes.txt');
    const others = path.join(uploads(), 'lost+found');
    mkdirSync(others);
    utimesSync(others, ago(2 * hour), ago(2 * hour));
    // A link that leads to itself.
    symlinkSync('loop', path.join(uploads(), 'loop'));
    expect(await sweepFiles(context)).to.include({ removed: 0, leftovers: 1 });
    expect(readdirSync(uploads()).sort()).to.deep.equal(['loop', 'lost+found', 'notes.txt']);
  });

  /** Creates more than one batch of marked files that are missing in the storage. */
  async function buildManyMarked(): Promise<number> {
    const { StoredFile } = context.database.models;
    const { id: _, ...template } = (await buildMaterial(context, course)).get({ plain: true });
    const rows = Array.from({ length: 1100 }, (_none, index) => {
      const key = `material/number-${index}`;
      return { ...template, id: randomUUID(), state: 'marked' as const, storageKey: key };
    });
    await StoredFile.bulkCreate(rows);
    return rows.length;
  }

  it('removes more than one batch', async () => {
    const removed = await buildManyMarked();
    // The cleanup stops after a batch when the service ends.
    expect(await sweepFiles(context, AbortSignal.abort())).to.include({ removed: 500, leftovers: 0 });
    expect(await sweepFiles(context)).to.include({ removed: removed - 500, leftovers: 0 });
    await expectNothingLeft(context, 1);
  });

  it('may run concurrently', async () => {
    for (let round = 0; round < 20; round += 1) await crashed(round % 2 ? 'pending' : 'marked');
    leftover(2 * hour);
    await crashed('live');
    await Promise.all([1, 2, 3].map(() => sweepFiles(context)));
    await Promise.all([1, 2].map(() => sweepStorage(context, true)));
    expect(logged).to.deep.equal([]);
    await expectNothingLeft(context, 1);
  });

  it('keeps marked files while a backup runs', async () => {
    const key = await crashed('marked');
    expect(await holdRemovals(context, () => sweepFiles(context))).to.include({ removed: 0, held: 1, failed: 0 });
    expect(await storedKeys(context)).to.deep.equal([key]);
    expect(await sweepFiles(context)).to.include({ removed: 1, held: 0 });
  });

  it('keeps the rows of a failed batch, and removes the files of later batches', async () => {
    const { StoredFile } = context.database.models;
    const stuck = await crashed('marked');
    await StoredFile.update({ id: '0' }, { where: { storageKey: stuck } });
    const file = path.join(folder.path, 'files', stuck);
    rmSync(file);
    mkdirSync(file);
    const others = await buildManyMarked();
    // All files of the failed batch are kept for the next cleanup.
    const { failure, ...figures } = await sweepFiles(context);
    expect(figures).to.deep.equal({ removed: others - 499, held: 0, failed: 500, leftovers: 0 });
    expect(failure).to.be.a('string').that.is.not.empty;
    expect(logged.join('')).to.include('could not be removed: the next cleanup retries');
    rmSync(file, { recursive: true });
    expect((await sweepFiles(context)).removed).to.equal(500);
    await expectNothingLeft(context, 1);
  });

  describe('the comparison of storage and database', () => {
    it('reports unknown objects, and removes them on request, except recent ones', async () => {
      const [old, young] = [await unknownObject(2 * hour), await unknownObject(0.9 * hour)];
      await crashed('live');
      for (const isRemoval of [false, true]) {
        expect(await storedKeys(context)).to.include(old);
        expect(await sweepStorage(context, isRemoval)).to.deep.equal({ ...emptySweep, unknown: [old] });
      }
      const keys = await storedKeys(context);
      expect(keys).to.have.length(2).and.to.include(young);
    });

    it('keeps objects with keys of other programs', async () => {
      const ours = await unknownObject(2 * hour);
      for (const key of ['backups/2026-11-20.sql.gz', 'material/notes.txt', 'image/logo.webp', `logs/${randomUUID()}`])
        objectAt(key, 2 * hour);
      expect((await sweepStorage(context, true)).unknown).to.deep.equal([ours]);
      expect(await storedKeys(context)).to.have.length(4);
    });

    it('reports live files that are missing', async () => {
      const key = await crashed('live', { withObject: false });
      await crashed('live');
      expect(await sweepStorage(context, true)).to.deep.equal({ ...emptySweep, missing: [key] });
      expect(await fileRows(context)).to.have.length(2);
    });
  });

  it('lists unreadable files with the reason', async () => {
    const key = await crashed('live');
    const { storage } = storingAfter(context, async () => undefined);
    const list = async function* (kind?: string) {
      const fault = new UnreadableObject('The file is closed.');
      for await (const info of context.storage.list(kind)) yield { ...info, fault };
    };
    expect(await sweepStorage({ ...context, storage: { ...storage, list } }, false)).to.deep.equal({
      ...emptySweep,
      unreadable: [{ key, reason: 'The file is closed.' }],
    });
  });

  it('does not report files that were deleted while the storage was listed', async () => {
    const key = await crashed('live');
    const { storage } = storingAfter(context, async () => undefined);
    const cut = await crashed('live');
    truncateSync(path.join(folder.path, 'files', cut), 1);
    const list = async function* (kind?: string) {
      if (kind !== undefined) return;
      await context.database.models.StoredFile.destroy({ where: { storageKey: key } });
      await context.storage.remove([key]);
      yield* context.storage.list();
      await context.database.models.StoredFile.destroy({ where: { storageKey: cut } });
    };
    expect(await sweepStorage({ ...context, storage: { ...storage, list } }, false)).to.deep.equal(emptySweep);
  });

  describe('an upload that takes too long', () => {
    /** Stores a file whose upload began two hours ago; `first` runs before the file is in the storage. */
    async function storing(first: (core: Context) => Promise<unknown>): Promise<string> {
      const upload = { path: leftover(0), name: 'slow.txt' };
      const slow = { ...storingAfter(context, () => first(context)), now: () => ago(2 * hour) };
      const owner = { courseId: course.id };
      return storeFile(slow, { kind: 'material', owner, uploadedBy: null, upload }, async () => undefined).then(
        ({ state }) => state,
        (error: Error) => error.message,
      );
    }

    it('is refused after the cleanup has removed it', async () => {
      expect(await storing(sweepFiles)).to.equal('The upload took too long.');
      await expectNothingLeft(context);
    });

    it('is stored if no cleanup has run', async () => {
      expect(await storing(async () => undefined)).to.equal('live');
      await expectNothingLeft(context, 1);
    });
  });

  it('finds no file after an upload whose row could not be inserted or attached', async () => {
    for (const [kind, then] of [
      ['unknown', async () => undefined],
      ['material', () => Promise.reject(new Error('no'))],
    ] as const) {
      const upload = { path: leftover(0), name: 'refused.txt' };
      const file = { kind: kind as 'material', owner: { courseId: course.id }, uploadedBy: null, upload };
      const failure = await storeFile(context, file, then).catch((error: Error) => error);
      expect(failure).to.be.an('error');
      await expectNothingLeft(context);
    }
  });

  it('runs when the service starts, and ends with the service', async () => {
    await crashed('marked');
    leftover(2 * hour);
    const sweep = startHousekeeping(context);
    await sweep.close();
    await expectNothingLeft(context);
    expect(logged.map((line) => JSON.parse(line) as object)).to.have.length(1);
    expect(JSON.parse(logged[0] ?? '')).to.include({ what: 'files', removed: 1, leftovers: 1 });
  });

  it('does not delay the end of the service when the storage does not respond', async () => {
    await crashed('marked');
    const { storage } = storingAfter(context, async () => undefined);
    const remove = () => new Promise<void>(() => undefined);
    const sweep = startHousekeeping({ ...context, storage: { ...storage, remove } });
    await sweep.close();
  }).timeout(scaled(20_000));

  it('does not start again while it runs', async () => {
    await crashed('marked');
    const { storage } = storingAfter(context, async () => undefined);
    const removal = new EventEmitter();
    let removals = 0;
    const remove = async () => {
      removals += 1;
      await once(removal, 'end');
    };
    const sweep = startHousekeeping({ ...context, storage: { ...storage, remove } }, 5);
    await until(() => removals > 0);
    await sleep(100);
    expect(removals).to.equal(1);
    removal.emit('end');
    await sweep.close();
  });

  it('does not run with a newer schema, and does not stop the service after a failure', async () => {
    const key = await crashed('marked');
    await whileSchemaIsNewer(context, async () => {
      await startHousekeeping(context).close();
    });
    expect(await storedKeys(context)).to.include(key);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.match(/"what":"files".*The database schema is newer than this program.*cleanup failed/);
    rmSync(uploads(), { recursive: true });
    writeFileSync(uploads(), 'in the way');
    await startHousekeeping(context).close();
    expect(logged[1]).to.match(/"what":"files".*cleanup failed/);
  });
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Course } from '../../../src/db/models/course.js';
import { AppError } from '../../../src/errors.js';
import type { Context } from '../../../src/services/context.js';
import { operator } from '../../../src/services/core.js';
import { addMaterial } from '../../../src/services/courses/materials.js';
import { removeThumbnail, setThumbnail } from '../../../src/services/courses/thumbnails.js';
import { failureOf } from '../../db/support/failure.js';
import { image } from '../../http/support/uploads.js';
import { buildCourse, buildMaterial, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe('Files of a course', () => {
  const harness = useHarness();
  let course: Course;
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(async () => {
    folder = temporaryFolder();
    course = await buildCourse(harness.context, await buildUser(harness.context, { role: 'trainer' }));
  });
  afterEach(() => folder.remove());

  const uploadOf = (content: string | Buffer, name: string) => {
    const file = path.join(folder.path, name);
    writeFileSync(file, content);
    return { path: file, name };
  };
  const addNotes = (context: Context) =>
    addMaterial(context, operator, course.id, uploadOf('What it says.', 'notes.txt'));

  it('stay after its image is replaced or removed', async () => {
    const { context } = harness;
    const file = await buildMaterial(context, course);
    const content = await image().jpeg().toBuffer();
    const { signal } = new AbortController();
    const setImage = () => setThumbnail(context, operator, course.id, uploadOf(content, 'image.jpg'), { signal });
    const remove = () => removeThumbnail(context, operator, course.id);
    for (const change of [setImage, setImage, remove]) {
      await change();
      expect(await file.reload()).to.include({ state: 'live' });
    }
  });

  it('may use the whole quota, because the image uses none', async () => {
    const { context } = harness;
    const files = { ...context.config.files, courseFiles: 1, courseQuotaBytes: 20 };
    await buildMaterial(context, course, { kind: 'thumbnail' });
    const file = await addNotes({ ...context, config: { ...context.config, files } });
    expect(file).to.include({ state: 'live' });
  });

  it('stay if their commit succeeded but its response was lost', async () => {
    const { database, storage } = harness.context;
    let transactions = 0;
    const inTransaction: typeof database.inTransaction = async (...work) => {
      transactions += 1;
      const result = await database.inTransaction(...work);
      if (transactions === 2) throw new AppError('DATABASE_UNREACHABLE');
      return result;
    };
    await failureOf(() => addNotes({ ...harness.context, database: { ...database, inTransaction } }));
    const file = await database.models.StoredFile.findOne({ rejectOnEmpty: true });
    expect(file).to.include({ state: 'live' });
    const object = await storage.open(file.storageKey);
    expect(object && (await text(object.stream))).to.equal('What it says.');
  });
});

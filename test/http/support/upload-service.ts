import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Course } from '../../../src/db/models/course.js';
import { type RunningServer, startServer } from '../../../src/http/server/server.js';
import { createLogger } from '../../../src/logger.js';
import { type Context, createContext } from '../../../src/services/context.js';
import { buildCourse, signIn } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { expectNothingLeft, filePart, form, type RawRequest, type RawResponse, send } from './uploads.js';

export const mebibyte = 1024 * 1024;

/** Returns a form with a file of zeros. */
export const material = (bytes = 10) => form(filePart(Buffer.alloc(bytes)));

/** A listening service with a separate folder for files, a trainer and the trainer's course. */
export interface UploadService {
  context: Context;
  server: RunningServer;
  /** Token of the trainer. */
  token: string;
  course: Course;
  /** Folder for files, emptied after each test. */
  folder: string;
  /** Lines of the log. */
  logged: string[];
  /** Restarts the service with another folder. */
  restart(dataDir: string): Promise<void>;
  /** Sends a body as a material of the course. */
  post(body: Buffer, more?: Partial<RawRequest>): Promise<RawResponse>;
  /** Expects that an upload still works, and that the log has no unexpected errors. */
  expectWell(): Promise<void>;
}

/**
 * Gives the enclosing `describe` an {@link UploadService}, with an empty database and folder for each test. Materials may
 * have 3 MiB, images 1 MiB.
 */
export function useUploadService(): UploadService {
  const harness = useHarness();
  const service = { logged: [] as string[] } as UploadService;

  async function start(dataDir: string): Promise<void> {
    const { config, hasher } = harness.context;
    const logger = createLogger('info', { write: (line: string) => void service.logged.push(line) });
    const files = {
      ...config.files,
      materialBytes: 3 * mebibyte,
      imageBytes: mebibyte,
      storage: { kind: 'local' as const, folder: path.join(dataDir, 'files') },
    };
    const http = { ...config.http, port: 0, host: '127.0.0.1' };
    service.context = await createContext({ ...config, dataDir, files, http }, logger, { hasher });
    service.server = await startServer(service.context);
  }

  async function stop(): Promise<void> {
    await service.server.close();
    await service.context.close();
  }

  let folder: ReturnType<typeof temporaryFolder>;
  before(async () => {
    folder = temporaryFolder();
    service.folder = folder.path;
    await start(folder.path);
  });
  beforeEach(async () => {
    service.logged.length = 0;
    const { user, token } = await signIn(service.context, { role: 'trainer' });
    service.token = token;
    service.course = await buildCourse(service.context, user, { isPublished: true });
  });
  afterEach(async () => {
    if (service.context.config.dataDir !== folder.path) await service.restart(folder.path);
    for (const name of readdirSync(folder.path)) rmSync(path.join(folder.path, name), { recursive: true });
  });
  after(async () => {
    await stop();
    folder.remove();
  });

  return Object.assign(service, {
    async restart(dataDir: string) {
      await stop();
      await start(dataDir);
    },
    post: (body: Buffer, more: Partial<RawRequest> = {}) =>
      send(service.server.url, {
        path: `/api/courses/${service.course.id}/files`,
        token: service.token,
        body,
        ...more,
      }),
    async expectWell() {
      expect((await service.post(material())).status).to.equal(201);
      await expectNothingLeft(service.context, 1);
      expect(service.logged.filter((line) => /"level":(50|60)/.test(line))).to.deep.equal([]);
    },
  });
}

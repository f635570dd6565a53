import { cpSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../../../src/config/config.js';
import { createLogger } from '../../../../../src/logger.js';
import { type Context, createContext } from '../../../../../src/services/context.js';
import { testEnvironment } from '../../../../support/environment.js';
import { buildCourse, buildMaterial, buildUser } from '../../../../support/factories.js';
import { type CommandLine, runCli, useCommandLine } from '../../../../support/run-cli.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

/** Creates a course of a trainer with `count` materials. */
async function buildMaterials(context: Context, count: number) {
  const trainer = await buildUser(context, { role: 'trainer', email: 'ada@x.org' });
  const course = await buildCourse(context, trainer, { title: 'Bees' });
  const files = [];
  for (let index = 0; index < count; index += 1)
    files.push(await buildMaterial(context, course, {}, `Content of file ${index}.`));
  return { context, trainer, course, files };
}

/** Creates an installation in a folder, as a template. @param materials number in a course; undefined for no course */
async function makeInstallation(materials: number | undefined): Promise<string> {
  const cwd = temporaryFolder().path;
  const { exitCode, stderr } = await runCli(['migrate', 'up'], { env: testEnvironment, cwd });
  expect(exitCode, stderr).to.equal(0);
  if (materials === undefined) return cwd;
  const silent = createLogger('silent', { write: () => undefined });
  const context = await createContext(loadConfig({ env: testEnvironment, cwd }), silent);
  await buildMaterials(context, materials);
  await context.close();
  return cwd;
}

/** Templates created by this process, by number of materials. */
const installations = new Map<number | undefined, Promise<string>>();

/**
 * Provides a command line with its own migrated SQLite database in `data`.
 * @param materials number in an initial course; undefined for no course
 */
export function useInstallation(materials?: number): CommandLine {
  const cli = useCommandLine(() => testEnvironment);
  beforeEach(async () => {
    const made = installations.get(materials) ?? makeInstallation(materials);
    installations.set(materials, made);
    cpSync(await made, cli.folder, { recursive: true });
  });
  return cli;
}

/** Environment of a second, empty installation in the same folder. */
export const elsewhere = { ...testEnvironment, DATA_DIR: 'elsewhere' };

export async function withMaterials(cli: CommandLine, count: number) {
  return buildMaterials(await cli.context(), count);
}

/** Returns the sorted paths of all files and links, relative to `folder`. */
export function pathsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !statSync(path.join(folder, name)).isDirectory())
    .sort();
}

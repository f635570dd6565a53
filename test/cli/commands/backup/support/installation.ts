import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { buildCourse, buildMaterial, buildUser } from '../../../../support/factories.js';
import { testEnvironment } from '../../../../support/harness.js';
import { type CommandLine, useCommandLine } from '../../../../support/run-cli.js';

/** A command line on an SQLite database of its own in `data`, with all migrations. */
export function useInstallation(): CommandLine {
  const cli = useCommandLine(() => testEnvironment);
  beforeEach(async () => {
    const { exitCode, stderr } = await cli.run(['migrate', 'up']);
    expect(exitCode, stderr).to.equal(0);
  });
  return cli;
}

/** The environment of another, empty installation in the same folder. */
export const elsewhere = { ...testEnvironment, DATA_DIR: 'elsewhere' };

/** A course with so many materials. */
export async function withMaterials(cli: CommandLine, count: number) {
  const context = await cli.context();
  const trainer = await buildUser(context, { role: 'trainer', email: 'ada@x.org' });
  const course = await buildCourse(context, trainer, { title: 'Bees' });
  const files = [];
  for (let index = 0; index < count; index += 1)
    files.push(await buildMaterial(context, course, {}, `Content of file ${index}.`));
  return { context, trainer, course, files };
}

/** The paths of all that isn't a folder, relative to `folder`, sorted. */
export function pathsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !statSync(path.join(folder, name)).isDirectory())
    .sort();
}

import path from 'node:path';
import type { Config } from '../../../config/config.js';
import { AppError } from '../../../errors.js';
import type { Context } from '../../../services/context.js';
import { makeBackup } from '../../../services/maintenance/backup/backup.js';
import { bucketCopy, type DumpCommands, dumpCommands } from '../../../services/maintenance/backup/dump-command.js';
import { type Manifest, summaryOf } from '../../../services/maintenance/backup/manifest.js';
import { createProgress } from '../../core/bulk/progress.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import type { Result, Run } from '../../core/command/run.js';
import { counted, withCommandLines } from '../../core/output/output.js';

type BackupRun = Run<'<folder>', { '--print-dump': string }>;

const passwordHint =
  'Set MYSQL_PWD to the password, or name a file that has it by --defaults-extra-file=<file> as the first option.';

/** Returns the dump commands of a database server; undefined for SQLite. */
async function commandsFor({ config, schema }: Context, folder: string): Promise<DumpCommands | undefined> {
  if (config.database.dialect === 'sqlite') return undefined;
  return dumpCommands(config.database, await schema.serverVersion(), `${folder}.sql`);
}

/** Returns the bucket of the files and a hint how to copy it; undefined if the files are in a folder. */
function bucketOf({ config, storage: { location } }: Context) {
  const { storage } = config.files;
  if (storage.kind !== 's3') return undefined;
  const { address, command } = bucketCopy(storage);
  return { address, location, hint: `copy the bucket with a tool of its server, such as: ${command}` };
}

/** Runs `coursectl backup`. @throws AppError `USAGE`, and the errors of {@link makeBackup} */
export async function backUp(run: BackupRun): Promise<Result> {
  const context = await run.context();
  const folder = path.resolve(run.io.cwd, run.arguments.folder);
  const commands = await commandsFor(context, folder);
  if (run.options.printDump) return printDump(run, context.config, commands);
  const bucket = bucketOf(context);
  if (commands && bucket)
    throw new AppError(
      'USAGE',
      `There is nothing to copy: the database is on a server, the files are in ${bucket.location}. Add --print-dump for the command that dumps the database; ${bucket.hint}`,
    );
  if (commands) run.say(`The database isn't copied. Dump it before the files:\n  ${commands.dump}\n${passwordHint}`);
  const progress = createProgress(run, 'Backing up', undefined, 'file');
  const manifest = await makeBackup(context, {
    folder,
    signal: run.io.signal,
    onFile: (done) => progress.update(done),
    onUnreadable: (reason) => run.say(`warning: Not in the backup: ${reason}`),
  }).finally(() => progress.stop());
  return {
    json: {
      backup: {
        folder,
        ...summaryOf(manifest),
        bucket: bucket?.address ?? null,
        dumpCommand: commands?.dump ?? null,
      },
    },
    text: textOf(folder, manifest, bucket?.hint),
    exitCode: manifest.missing.length > 0 ? exitCodes.partial : exitCodes.ok,
  };
}

function printDump(run: BackupRun, config: Config, commands: DumpCommands | undefined): Result {
  if (!commands)
    throw new AppError('USAGE', 'An SQLite database needs no dump: the backup has it. Leave --print-dump out.');
  const then =
    config.files.storage.kind === 'local'
      ? 'Then restore the files, before the service starts: coursectl restore <folder>. It also ends the sessions of the dump.'
      : 'Then end its sessions, before the service starts: DELETE FROM sessions';
  run.say(
    withCommandLines(run.io, `${passwordHint}\nTo restore it into an empty database:\n  ${commands.restore}\n${then}`),
  );
  return { json: { dumpCommand: commands.dump, restoreCommand: commands.restore }, text: commands.dump };
}

function textOf(folder: string, manifest: Manifest, bucketHint: string | undefined): string {
  const { databaseBytes, files, fileBytes, missing, damaged } = summaryOf(manifest);
  return [
    `Backup in ${folder}:`,
    databaseBytes === null
      ? '  no database: it is on a server, and needs its own dump'
      : `  database: ${counted(databaseBytes, 'byte')}`,
    files === null ? `  no files: ${bucketHint}` : `  ${counted(files, 'file')}: ${counted(fileBytes, 'byte')}`,
    ...keysText(missing, 'missing or unreadable in the storage'),
    ...keysText(damaged, 'damaged in the storage, with another size than the database says; copied nevertheless'),
  ].join('\n');
}

/** Returns lines with the number of files that have a problem, and their keys; no lines without such files. */
function keysText(keys: readonly string[], problem: string): string[] {
  return keys.length === 0 ? [] : [`${counted(keys.length, 'file')} ${problem}`, ...keys.map((key) => `  ${key}`)];
}

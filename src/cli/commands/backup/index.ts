import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'backup <folder>',
    schema: 'not newer',
    summary: 'Back up the database and the local files while the service runs',
    examples: [
      'backup backups/2026-11-23',
      'backup /var/backups/coursectl/monday --json',
      'backup /var/backups/coursectl/monday --print-dump',
    ],
    options: { '--print-dump': 'on MySQL and MariaDB: print the command that dumps the database, and end' },
    notes: [
      'The folder must be new or empty. Without a manifest.json in it, a backup is incomplete.',
      'A backup has the SQLite database and, with FILE_STORAGE=local, the stored files. It has no settings (.env), no uploads',
      'under way, and no files of the imports folder: neither files to import nor files with passwords to fetch.',
      'Copy the folder "retention" of DATA_DIR yourself: it has the only copy of rows that the database deleted by age.',
      'On MySQL and MariaDB dump the database first, with the command of --print-dump; then this command copies the files.',
      'Files that are missing, unreadable or damaged in the storage are listed; then the exit code is 3.',
    ].join('\n'),
    load: () => import('./back-up.js').then(({ backUp }) => ({ run: backUp })),
  });

  define(program, registry, {
    usage: 'restore <folder>',
    schema: 'any',
    missingDatabase: 'restored',
    summary: 'Restore a backup into an installation without database and files',
    examples: ['restore backups/2026-11-23', 'restore /var/backups/coursectl/monday --json'],
    notes: [
      'Stop the service first. The command checks the whole backup before it restores anything. If a restore is killed, run',
      'the command again: it restores everything. All sessions are ended: everybody must sign in again.',
      'Run it as the user of the service: the restored files belong to the user who runs it, and no other user can read them.',
      'On MySQL and MariaDB restore the dump of the database first, with the client of the server; then this command restores',
      'the files, and ends the sessions in the database.',
    ].join('\n'),
    stopsItself: true,
    load: () => import('./restore.js').then(({ restore }) => ({ run: restore })),
  });
}

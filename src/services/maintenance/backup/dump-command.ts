import path from 'node:path';
import type { MysqlConfig, S3Config } from '../../../config/config.js';
import { shellWord } from '../../../shell-quote.js';
import { s3Address } from '../../../storage/s3.js';

/** Commands of `sh` for a database on a server. They contain no password. */
export interface DumpCommands {
  dump: string;
  restore: string;
}

function tlsOptions({ tls, tlsCaFile }: MysqlConfig, isMariadb: boolean): string[] {
  if (tls === 'off') return [];
  const authorities = tlsCaFile === undefined ? [] : [`--ssl-ca=${tlsCaFile}`];
  const isVerified = tls === 'required';
  if (isMariadb)
    return ['--ssl', isVerified ? '--ssl-verify-server-cert' : '--skip-ssl-verify-server-cert', ...authorities];
  return [`--ssl-mode=${isVerified ? 'VERIFY_IDENTITY' : 'REQUIRED'}`, ...authorities];
}

/**
 * Returns commands that dump a database while the service runs, and restore the dump into an empty database.
 * @param serverVersion result of `Schema.serverVersion`
 * @param file absolute path of the dump
 */
export function dumpCommands(settings: MysqlConfig, serverVersion: string, file: string): DumpCommands {
  const isMariadb = serverVersion.startsWith('MariaDB');
  const { host, port, user, name } = settings;
  const server = [
    `--host=${host}`,
    `--port=${port}`,
    // For "localhost" the clients use a socket and ignore the port: the socket may belong to another server.
    '--protocol=TCP',
    `--user=${user}`,
    ...tlsOptions(settings, isMariadb),
  ];
  const dumpOptions = [
    // Reads one snapshot without locking tables.
    '--single-transaction',
    '--quick',
    '--routines',
    '--triggers',
    '--hex-blob',
    '--no-tablespaces',
    '--default-character-set=utf8mb4',
    // A dump with GTIDs needs rights that the user lacks, and can be restored only on a server without GTIDs. MariaDB's
    // client, which some systems install as mysqldump, refuses the option. Its dumps of MySQL can't be restored anyway.
    ...(isMariadb ? [] : ['--set-gtid-purged=OFF']),
    `--result-file=${file}`,
  ];
  const line = (words: readonly string[]) => words.map(shellWord).join(' ');
  // Without --binary-mode the client runs commands in a dump on this machine: \! and source.
  const clientOptions = ['--default-character-set=utf8mb4', '--binary-mode'];
  const client = [isMariadb ? 'mariadb' : 'mysql', ...server, ...clientOptions, name];
  return {
    // The dump is made before the backup creates the folder, and the client doesn't create folders.
    dump: `umask 077 && ${line(['mkdir', '-p', path.dirname(file)])} && ${line([isMariadb ? 'mariadb-dump' : 'mysqldump', ...server, ...dumpOptions, name])}`,
    restore: `${line(client)} < ${shellWord(file)}`,
  };
}

/** Returns the address of a bucket and the AWS CLI command that copies it. Without an endpoint, the AWS CLI uses Amazon. */
export function bucketCopy(settings: S3Config): { address: string; command: string } {
  const address = s3Address(settings);
  const server = settings.endpoint === undefined ? [] : [`--endpoint-url=${settings.endpoint}`];
  return { address, command: `${['aws', 's3', 'sync', ...server, address].map(shellWord).join(' ')} <folder>` };
}
